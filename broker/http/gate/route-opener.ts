import type { OpenAPIHono, RouteConfig, z } from "@hono/zod-openapi";
import { paramsLeftOut, pathAliases } from "../../../shared/path-aliases.ts";
import { Problem, problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import type { Broker } from "../../broker.ts";
import type { LargeText } from "../../seals/large-text.ts";
import { answerError } from "../answer/answer-error.ts";
import { setHeader } from "../answer/set-header.ts";
import type { AppEnv } from "../app-env.ts";
import type { App, AppContext } from "../app-types.ts";
import { discardBody } from "../body/discard-body.ts";
import { jsonOf } from "../body/json-of.ts";
import { isCostlyBody, readApart } from "../body/read-apart.ts";
import { readJsonBytes } from "../body/read-json.ts";
import { isReadApart } from "../body/read-large-json.ts";
import { readRawBody } from "../body/read-raw-body.ts";
import { mostValues, requireFewJsonParts } from "../body/require-few-json-parts.ts";
import { reserveMemory } from "../body/reserve-memory.ts";
import { type Answered, beginRequest, endRequest } from "../request-log.ts";
import type { ServedRoute } from "./allowed-methods.ts";
import { makeAuditGate, type RouteAudit } from "./audit-gate.ts";
import { authorize } from "./authorize.ts";
import { describeRoute } from "./describe-route.ts";
import { replayOnce } from "./idempotency.ts";
import { noSuchId, requireNoNul } from "./no-such-id.ts";
import { paramsOf } from "./params-of.ts";
import { validateBody, validateQuery } from "./validate.ts";
import { handleWithPermit } from "./with-permit.ts";

type RuledRoute = RouteConfig & { readonly operationId: string; readonly rule: RouteRule };
type RouteOpener = {
  readonly open: App["openapi"];
  /** Every route that was opened so far. */
  readonly routes: readonly ServedRoute[];
};
type Handle = (c: AppContext) => Response | Promise<Response>;

type OpenRoute = {
  readonly operationId: string;
  readonly method: string;
  /** Hono's spelling: `/v1/runners/:runner_id`. */
  readonly path: string;
  readonly rule: RouteRule;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodObject | undefined;
  /** The schema of a JSON body; "empty" where the route takes no members; undefined: not ours to read. */
  readonly body: z.ZodType | "empty" | undefined;
  readonly handle: Handle;
  readonly audit: RouteAudit["settle"];
  readonly answered: Answered;
};

/**
 * What `app.openapi` is in this broker: the same contract object and the same typed handler, but the request
 * goes through one gate instead of a chain of validators: caller, permission, pace, path, query, then the
 * body. The body is parsed once, and only after the permission check.
 */
export function makeRouteOpener(app: OpenAPIHono<AppEnv>, broker: Broker): RouteOpener {
  const routes: ServedRoute[] = [];
  const auditOf = makeAuditGate(broker);
  const open = (route: RuledRoute, handle: Handle): OpenAPIHono<AppEnv> => {
    const opened = openRoute(broker, route, handle, auditOf);
    const { method, rule } = opened;
    app.openAPIRegistry.registerPath(describeRoute(route));
    routes.push({ method, template: route.path, rule });
    app.on(method, opened.path, (c) => answer(c, broker, opened));
    for (const alias of pathAliases(route)) {
      const leftOut = paramsLeftOut(route.path, alias);
      routes.push({ method, template: alias, rule });
      app.on(method, spelt(alias), (c) => {
        c.set("params", { ...leftOut, ...c.req.param() });
        return answer(c, broker, opened);
      });
    }
    return app;
  };
  // The types of the route and its handler are the caller's; here any route is like another.
  return { open: open as unknown as App["openapi"], routes };
}

function openRoute(
  broker: Broker,
  route: RuledRoute,
  handle: Handle,
  auditOf: ReturnType<typeof makeAuditGate>,
): OpenRoute {
  const method = route.method.toUpperCase();
  const path = spelt(route.path);
  const { operationId, rule } = route;
  const audit = auditOf({ operationId, method, path, rule, handle });
  return {
    operationId,
    method,
    path,
    rule,
    params: route.request?.params,
    query: route.request?.query as z.ZodObject | undefined, // routes declare their query as an object
    body: rule.otlp === true ? undefined : bodyOf(route),
    handle: audit.handle,
    audit: audit.settle,
    answered: { route: path, rule, count: broker.httpMetrics.of(method, path) },
  };
}

/** A path as Hono spells it. */
const spelt = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function bodyOf({ method, request }: RouteConfig): OpenRoute["body"] {
  if (method === "get") return undefined;
  if (request?.body === undefined) return "empty";
  const json = request.body.content["application/json"];
  // Routes declare a zod schema, never a reference, so that documentation and validation agree.
  return (json as { schema: z.ZodType } | undefined)?.schema;
}

async function answer(c: AppContext, broker: Broker, route: OpenRoute): Promise<Response> {
  const startedAtMs = beginRequest(c, route.rule);
  // A client that keeps its connection busy would keep a stopping broker waiting.
  if (broker.health.isDraining()) setHeader(c, "connection", "close");
  let response: Response;
  try {
    response = await serve(c, broker, route);
  } catch (error) {
    if (!(error instanceof Problem && error.status === 408)) await discardBody(c);
    response = answerError(c, broker, error);
  }
  const settled = route.audit(c, response, startedAtMs);
  response = settled instanceof Promise ? await settled : settled;
  endRequest(c, broker, route.answered, { status: response.status, startedAtMs });
  return response;
}

async function serve(c: AppContext, broker: Broker, route: OpenRoute): Promise<Response> {
  const { rule } = route;
  if (rule.permission !== null) {
    const admitted = authorize(c, broker, rule);
    if (admitted instanceof Promise) await admitted;
  }
  if (route.params !== undefined) checkParams(c, route.params);
  const isLenient = rule.surface === "runner";
  checkQuery(c, route.query, isLenient);
  const reserved = reserveMemory(c, broker, rule);
  if (reserved === undefined) return withBody(c, broker, route);
  const leave = await reserved;
  try {
    return await withBody(c, broker, route);
  } finally {
    leave();
  }
}

async function withBody(c: AppContext, broker: Broker, route: OpenRoute): Promise<Response> {
  const { rule, body, operationId } = route;
  if (body === undefined) return handleWithPermit(c, broker, route);
  const isLenient = rule.surface === "runner";
  if (rule.archive === true) return withRawBody(c, broker, route);
  const bytes = await readJsonBytes(c, rule);
  const mayBeApart = isReadApart(operationId);
  if (mayBeApart && isCostlyBody(bytes)) {
    await readApart(c, broker, operationId, bytes);
    return handleWithPermit(c, broker, route);
  }
  // What holds many values is long; most bodies are not, and need not be looked through.
  if (bytes.length > mostValues && !mayBeApart) requireFewJsonParts(bytes, mostValues);
  const { value, text, verbatim } = jsonOf(bytes, rule);
  c.set("longTexts", nothing);
  if (body !== "empty") {
    c.req.addValidatedData(
      "json",
      validateBody(body, value, { isNullAbsent: true, verbatim }) as object,
    );
    c.set("verbatim", verbatim);
  } else if (!isLenient) {
    requireEmpty(value);
  }
  return once(c, broker, { ...route, text });
}

async function withRawBody(c: AppContext, broker: Broker, route: OpenRoute): Promise<Response> {
  const raw = await readRawBody(c, route.rule);
  c.set("rawBody", raw);
  c.req.addValidatedData("json", {});
  return await once(c, broker, { ...route, text: raw.bytes });
}

/** Handles the request; with an `Idempotency-Key`, where the route takes one, once. */
function once(
  c: AppContext,
  broker: Broker,
  keyed: OpenRoute & { readonly text: string | Uint8Array },
): Response | Promise<Response> {
  const { idempotent: mode } = keyed.rule;
  if (mode === undefined || mode === "job") return handleWithPermit(c, broker, keyed);
  return replayOnce(c, broker, { ...keyed, mode });
}

const nothing: ReadonlyMap<string, LargeText> = new Map();

/** Most requests have no query, so they skip parsing one. */
function checkQuery(c: AppContext, schema: z.ZodObject | undefined, isLenient: boolean): void {
  const isAsked = c.req.url.includes("?");
  if (!isAsked && schema === undefined) return;
  const sent = isAsked ? c.req.queries() : {};
  c.req.addValidatedData("query", validateQuery(schema, sent, isLenient) as object);
}

/** An id of another form cannot exist. */
function checkParams(c: AppContext, schema: z.ZodType): void {
  const params = paramsOf(c);
  const parsed = schema.safeParse(params);
  requireNoNul(params);
  if (!parsed.success) {
    const wrong = String(parsed.error.issues[0]?.path[0] ?? "");
    throw noSuchId(wrong, params[wrong] ?? "");
  }
  c.req.addValidatedData("param", parsed.data as object);
}

function requireEmpty(value: unknown): void {
  const names = typeof value === "object" && value !== null ? Object.keys(value) : [""];
  if (names.length === 0) return;
  const detail = "This route does not accept this field.";
  throw problem.invalid(
    names.map((name) => ({
      pointer: name === "" ? "#" : `#/${name}`,
      code: "unknown_member",
      detail,
    })),
  );
}
