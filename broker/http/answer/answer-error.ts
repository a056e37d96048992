import { STATUS_CODES } from "node:http";
import { Problem, problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import type { Broker } from "../../broker.ts";
import { isDatabaseAway, isLockTimeout } from "../../database/database-errors.ts";
import { lostReference } from "../../database/lost-references.ts";
import type { AppContext } from "../app-types.ts";
import { namesProblem } from "../gate/names-problem.ts";
import { setHeader } from "./set-header.ts";

/**
 * The answer to anything thrown. A Problem is answered as it is; anything else is a bug: logged once,
 * and answered 500 with only the request's id.
 */
export function answerError(c: AppContext, broker: Broker, error: unknown): Response {
  const known = problemOf(c, broker, error);
  for (const [name, value] of Object.entries(known.headers)) setHeader(c, name, value);
  return answerProblem(c, broker, known);
}

/** What is answered for anything thrown. */
export const problemOf = (c: AppContext, broker: Broker, error: unknown): Problem =>
  error instanceof Problem ? error : unexpected(c, broker, error);

function unexpected(c: AppContext, broker: Broker, error: unknown): Problem {
  const requestId = c.get("requestId");
  if (isLockTimeout(error)) {
    broker.log.info({ request_id: requestId }, "timed out waiting for a row lock");
    const detail =
      "Other requests are changing the same object. Try again, and send fewer requests at once.";
    return problem.tooMany(detail, 1, "busy");
  }
  const lost = lostReference(error);
  if (lost !== undefined) {
    broker.log.info({ request_id: requestId }, "what a request named was deleted meanwhile");
    const detail = `A ${lost} that this request is about was deleted in this very instant. Look it up again.`;
    return problem.conflict("reference_gone", detail);
  }
  if (isDatabaseAway(error)) {
    broker.log.error({ err: error, request_id: requestId }, "the database is unavailable");
    return problem.unavailable("The database is unavailable. Try again later.", 1);
  }
  broker.log.error({ err: error, request_id: requestId }, "a request failed");
  return new Problem({
    status: 500,
    code: "internal",
    detail: `Internal error. Give support this request id: ${requestId}.`,
  });
}

function answerProblem(c: AppContext, broker: Broker, known: Problem): Response {
  c.set("problemCode", known.code);
  return typed(problemText(c, broker, known), known.status, typeOf(c));
}

/** A problem's document (RFC 9457). */
export function problemText(c: AppContext, broker: Broker, known: Problem): string {
  const title = STATUS_CODES[known.status] ?? "Error";
  const members = {
    type: `${broker.config.publicUrl ?? ""}/docs#${title.toLowerCase().replaceAll(" ", "-")}`,
    title,
    status: known.status,
    detail: known.message,
    instance: `urn:request:${c.get("requestId")}`,
    code: known.code,
    ...(known.errors.length > 0 && { errors: known.errors }),
    ...known.members,
    // Existing clients show a person one of these.
    error: known.message,
    description: known.message,
    user_error: known.status < 500,
  };
  return jsonOf(members, known);
}

/** Existing clients decode application/json alone: only who asks for it gets the type of RFC 9457, and no client of runners' routes. */
function typeOf(c: AppContext): string {
  const rule = c.get("rule") as RouteRule | undefined; // absent where no route was found
  const isRunners = rule?.surface === "runner" || rule?.runnersRead === true;
  return namesProblem(c) && !isRunners ? problemType : "application/json";
}

const problemType = "application/problem+json";

/** Errors that are a text already go in as they are. */
function jsonOf(members: object, { errorsText }: Problem): string {
  const json = JSON.stringify(members);
  return errorsText === undefined ? json : `${json.slice(0, -1)},"errors":${errorsText}}`;
}

function typed(body: string, status: number, type: string): Response {
  return new Response(body, { status, headers: { "content-type": type } });
}
