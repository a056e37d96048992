import type { z } from "zod";
import type { Route, RouteAnswer } from "../../shared/api/route.ts";
import { classOfRefusal, type Scope } from "./answer-class.ts";
import { neededAnswers } from "./answer-schemas.ts";
import { retryAfterMs } from "./backoff.ts";
import { Refused, SlowedDown, Unanswered } from "./broker-errors.ts";
import type { Received } from "./send.ts";

/** A valid answer. Headers stay raw, because Node's Headers class would load its fetch. */
export type AgentAnswer<R> = Omit<RouteAnswer<R>, "headers"> & Pick<Received, "headers">;

/** An answer: valid, or a refusal. */
export type Read = {
  /** Whether the broker itself made it, not something in between. */
  readonly isBrokersWord: boolean;
  readonly answer?: AgentAnswer<Route>;
  readonly problem?: { code: string; detail: string; executionStatus?: string };
};

/**
 * A valid answer has the status and content type of the route and what the agent needs of its body; anything else is
 * not the broker's.
 */
export function readAnswer(
  { status, headers, text }: Received,
  route: Route,
  how: { readonly answer?: z.ZodType | undefined; readonly answerType?: string | undefined } = {},
): Read {
  const isJson = /[/+]json\b/.test(headers["content-type"] ?? "");
  const body: unknown = isJson ? parseJson(text) : text;
  if (status >= 300) {
    const problem = isJson ? problemOf(body) : undefined;
    return problem === undefined ? { isBrokersWord: false } : { isBrokersWord: true, problem };
  }
  const promised = route.responses[status] as { content?: Record<string, { schema: z.ZodType }> };
  const type = how.answerType ?? Object.keys(promised?.content ?? {})[0];
  const isTyped = type === undefined || (headers["content-type"] ?? "").startsWith(type);
  if (promised === undefined || !isTyped) return { isBrokersWord: false };
  const needed = neededAnswers[route.operationId ?? ""];
  const shape = how.answer ?? needed ?? promised.content?.["application/json"]?.schema;
  if (how.answerType === undefined && shape !== undefined && !shape.safeParse(body).success)
    return { isBrokersWord: false };
  return { isBrokersWord: true, answer: { status, headers, text, body } as AgentAnswer<Route> };
}

/** One line of an answer in lines: a JSON document, as an answer of its own would be. */
export function readLine(
  line: Received,
  route: Route,
  how: { readonly answer?: z.ZodType | undefined },
): Read {
  const headers = { ...line.headers, "content-type": "application/json" };
  return readAnswer({ ...line, headers }, route, how);
}

const slowing: readonly number[] = [429, 503];

/** The error for a refusal: Refused when the broker decided, Unanswered otherwise. */
export function refusalOf(
  { status, headers, atMs }: Received,
  read: Read,
  { scope, processId }: { readonly scope: Scope; readonly processId?: string | undefined },
): Error {
  const what = classOfRefusal(status, read.isBrokersWord, scope);
  if (what === "retry" || read.problem === undefined) {
    const words = read.isBrokersWord ? (read.problem?.detail ?? "") : "not an answer of the broker";
    const from = read.isBrokersWord ? "broker" : "others";
    const asked = retryAfterMs(headers["retry-after"], atMs, from);
    const isSlowing = read.isBrokersWord && asked !== undefined && slowing.includes(status);
    return new (isSlowing ? SlowedDown : Unanswered)(`The answer was ${status} (${words}).`, asked);
  }
  return new Refused(what, { status, ...read.problem }, processId);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The broker's refusals are problem documents (RFC 9457) with a code. */
function problemOf(body: unknown): Read["problem"] {
  if (typeof body !== "object" || body === null || !("code" in body)) return undefined;
  const { code, detail, execution_status } = body as Readonly<Record<string, unknown>>;
  if (typeof code !== "string") return undefined;
  return {
    code,
    detail: typeof detail === "string" ? detail : "",
    ...(typeof execution_status === "string" && { executionStatus: execution_status }),
  };
}
