import type { Broker } from "../broker.ts";
import { answerError } from "../http/answer/answer-error.ts";
import { setHeader } from "../http/answer/set-header.ts";
import type { App, AppContext } from "../http/app-types.ts";
import { discardBody } from "../http/body/discard-body.ts";
import { beginRequest, endRequest } from "../http/request-log.ts";

/** Nothing from elsewhere, nothing inline: what a job or a log says can never become a script. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Opens one path of the dashboard, as "GET /jobs/{job_id}": counted, logged, and with what every page forbids the browser. */
export function openPath(
  app: App,
  broker: Broker,
  methodAndPath: `${"GET" | "POST"} ${string}`,
  answer: (c: AppContext) => Promise<Response>,
): void {
  const [method = "", path = ""] = methodAndPath.split(" ");
  const route = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const count = broker.httpMetrics.of(method, path);
  app.on([method], [route], async (c) => {
    const startedAtMs = beginRequest(c, undefined);
    protect(c);
    if (broker.health.isDraining()) setHeader(c, "connection", "close");
    const response = await answer(c).catch(async (error: unknown) => {
      await discardBody(c);
      return answerError(c, broker, error);
    });
    const { status } = response;
    endRequest(c, broker, { route, rule: undefined, count }, { status, startedAtMs });
    return response;
  });
}

/** Forbids the browser what every page forbids it. */
export function protect(c: AppContext): void {
  setHeader(c, "content-security-policy", policy);
  setHeader(c, "referrer-policy", "no-referrer");
  setHeader(c, "cache-control", "no-store");
  setHeader(c, "x-content-type-options", "nosniff");
}
