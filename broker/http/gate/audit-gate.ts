import { auditModeOf } from "../../../shared/audit-mode.ts";
import type { AuditMode, AuditOutcome } from "../../../shared/audit.ts";
import { Problem } from "../../../shared/problem.ts";
import { type AuditEntry, auditText } from "../../audit/audit-entry.ts";
import type { Broker } from "../../broker.ts";
import { isDatabaseAway } from "../../database/database-errors.ts";
import type { Actor } from "../../tokens/actor.ts";
import { answerError } from "../answer/answer-error.ts";
import type { AppContext } from "../app-types.ts";
import { type AuditedRoute, auditEntryOf, withCreated } from "./audit-entry-of.ts";
import { trustProxies } from "./trusted-proxies.ts";

type Handle = (c: AppContext) => Response | Promise<Response>;

/** How the gate audits one route. */
export type RouteAudit = {
  /** The handler, with a record of each act before it. */
  readonly handle: Handle;
  /** Records what came of a request; the answer is sent when that is done. */
  readonly settle: (
    c: AppContext,
    response: Response,
    startedAtMs: number,
  ) => Response | Promise<Response>;
};

/** Audits the routes of a broker. */
export function makeAuditGate(broker: Broker): (route: GatedRoute) => RouteAudit {
  const findOrigin = trustProxies(broker.config.trustedProxies);
  return (route) => {
    const mode = auditModeOf(route.method, route.rule);
    const describe = (c: AppContext, body?: unknown): AuditEntry =>
      auditEntryOf(c, route, { findOrigin, body });
    const isQuiet = mode === "none" && route.method !== "GET";
    return {
      handle: mode === "act" ? (c) => act(c, broker, route, describe) : route.handle,
      settle: (c, response, startedAtMs) => {
        if (isQuiet && response.status < 400) return response;
        const actor = c.get("actor") as Actor | undefined; // absent where nobody was let in
        if (actor === undefined) return response;
        return settle(c, broker, {
          actor,
          mode,
          rule: route.rule,
          describe,
          response,
          startedAtMs,
        });
      },
    };
  };
}

type GatedRoute = AuditedRoute & { readonly method: string; readonly handle: Handle };

/** Says that the answer shows what may hold secrets: it is not sent before that is in the audit log. */
export function tellSecrets(c: AppContext): void {
  c.set("showsSecrets", true);
}

/** Adds to the record of an act what came of it: how many it reached, or which. */
export function tellOutcome(c: AppContext, facts: Readonly<Record<string, number | string>>): void {
  const asked = c.get("act");
  if (asked === undefined) return;
  asked.entry = { ...asked.entry, changes: { ...asked.entry.changes, ...facts } };
}

async function act(
  c: AppContext,
  broker: Broker,
  { rule, handle }: GatedRoute,
  describe: Describe,
): Promise<Response> {
  const begin = async (): Promise<void> => {
    const entry = describe(c, c.req.valid("json" as never));
    await broker.audit.begin(entry).catch((error: unknown) => {
      throw isDatabaseAway(error) ? error : unwritable("Nothing was done");
    });
    c.set("act", { entry });
  };
  if (rule.permission === null) {
    c.set("beginAct", async (actor) => {
      c.set("actor", actor);
      await begin();
    });
  } else if (isRunnersOwn(rule, c.get("actor"))) return handle(c);
  else await begin();
  const response = await handle(c);
  const asked = c.get("act");
  const isMade = response.status === 201 || rule.idempotent === "job";
  if (isMade && asked !== undefined) asked.entry = withCreated(asked.entry, await bodyOf(response));
  return response;
}

/** What runners do to what their jobs work on: the jobs tell it. */
function isRunnersOwn({ surface }: GatedRoute["rule"], { runnerId, roleType }: Actor): boolean {
  return surface === "runner" && (runnerId !== null || roleType === "runner");
}

/** Longer answers are no object's. */
const mostAnswerLength = 64 * 1024;

async function bodyOf(response: Response): Promise<unknown> {
  const { headers } = response;
  if (headers.get("content-type")?.includes("json") !== true) return undefined;
  // Only what is streamed says its length here; a copy of that would be whole in memory, and counted nowhere.
  const isLong = Number(headers.get("content-length") ?? 0) > mostAnswerLength;
  if (isLong || headers.has("transfer-encoding")) return undefined;
  const text = await response.clone().text();
  if (text.length > mostAnswerLength) return undefined;
  return JSON.parse(text) as unknown; // our own answer
}

type Describe = (c: AppContext, body?: unknown) => AuditEntry;
type Settled = {
  readonly actor: Actor;
  readonly mode: AuditMode;
  readonly rule: GatedRoute["rule"];
  readonly describe: Describe;
  readonly response: Response;
  readonly startedAtMs: number;
};

function settle(
  c: AppContext,
  broker: Broker,
  { actor, mode, rule, describe, response, startedAtMs }: Settled,
): Response | Promise<Response> {
  const { audit } = broker;
  const { status } = response;
  const isRunners = isRunnersOwn(rule, actor);
  const code = c.get("problemCode") ?? "";
  const end = { outcome: outcomeOf(status), status, code };
  const ended = () => ({ ...end, age_ms: performance.now() - startedAtMs, count: 1 });
  const asked = c.get("act");
  if (asked !== undefined) {
    return audit.end({ ...asked.entry, ...ended() }).then(() => response);
  }
  const deniedOrg = c.get("deniedOrg");
  if (deniedOrg !== undefined) {
    audit.refuse({ ...describe(c), changes: { org_id: auditText(deniedOrg, 100) }, ...ended() });
    return response;
  }
  // A runner asks for what is gone as a matter of course; for another's, the gate refuses it.
  const isStrangers = status === 404 && (!isRunners || c.req.param("runner_id") !== actor.runnerId);
  if (status === 403 || (isStrangers && !isUnnamed(c, isRunners))) {
    audit.refuse({ ...describe(c), ...ended() });
  } else if (mode === "tally" && (status < 400 || status >= 500)) {
    audit.tally(describe(c), end);
  } else if (!isRunners && status < 300 && (mode === "secrets" || c.get("showsSecrets") === true)) {
    return audit.write({ ...describe(c), ...ended() }).then(
      () => response,
      async () => {
        await response.body?.cancel();
        return answerError(c, broker, unwritable("Nothing is shown"));
      },
    );
  }
  return response;
}

/** A runner's request whose path names no runner. */
function isUnnamed(c: AppContext, isRunners: boolean): boolean {
  return isRunners && c.req.param("runner_id") === undefined;
}

function outcomeOf(status: number): AuditOutcome {
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "allowed";
}

function unwritable(what: string): Problem {
  return new Problem({
    status: 503,
    code: "audit_unavailable",
    detail: `${what}, because the audit log cannot be written now. Try again later.`,
    headers: { "retry-after": "1" },
  });
}
