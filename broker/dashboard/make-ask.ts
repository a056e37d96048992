import { SvcError } from "../../client/svc-error.ts";
import { callRoute } from "../../shared/api/call-route.ts";
import { Problem } from "../../shared/problem.ts";
import type { SignedInCaller } from "../http/app-env.ts";
import type { App } from "../http/app-types.ts";
import type { View } from "./page.ts";

/** A page is in memory as a whole: what is longer is for downloads and programs. */
const mostAnswerBytes = 16 * 2 ** 20;

/**
 * Calls the API in this process as whoever is signed in. What a page shows and does has passed the same gate as a
 * request of `svc`: permission, rate, validation, audit. Nothing is asked twice: no answer gets lost here.
 */
export function makeAsk(
  app: Pick<App, "request">,
  signedIn: SignedInCaller,
  requestId: string,
): View["ask"] {
  const endpoint = {
    url: "http://svc",
    userAgent: signedIn.userAgent,
    headers: { "x-request-id": requestId },
    fetch: async (url: string, init: RequestInit) => await app.request(url, init, { signedIn }),
    retries: 0,
    maxAnswerBytes: mostAnswerBytes,
  };
  return async (route, input) => {
    try {
      return (await callRoute(endpoint, route, input)).body;
    } catch (error) {
      throw error instanceof SvcError && error.code === "answer_too_large" ? tooLong() : error;
    }
  };
}

const tooLong = (): Problem =>
  new Problem({
    status: 413,
    code: "too_long_for_a_page",
    detail: `This is longer than a page can show, ${mostAnswerBytes / 2 ** 20} MiB. Read it with svc or by the API.`,
  });
