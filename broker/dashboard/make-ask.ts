import { callRoute } from "../../shared/api/call-route.ts";
import { Problem } from "../../shared/problem.ts";
import type { SignedInCaller } from "../http/app-env.ts";
import type { App } from "../http/app-types.ts";
import type { View } from "./page.ts";

/**
 * Calls the API in this process as whoever is signed in. What a page shows and does has passed the same gate as a
 * request of `svc`: permission, rate, validation, audit.
 */
export function makeAsk(app: App, signedIn: SignedInCaller, requestId: string): View["ask"] {
  const endpoint = {
    url: "http://svc",
    userAgent: signedIn.userAgent,
    fetch: async (url: string, init: RequestInit) =>
      bounded(await app.request(url, init, { signedIn })),
  };
  const traced = { ...endpoint, headers: { "x-request-id": requestId } };
  return async (route, input) => (await callRoute(traced, route, input)).body;
}

/** A page is in memory as a whole: what is longer is for downloads and programs. */
const mostAnswerBytes = 16 * 2 ** 20;

function bounded(response: Response): Response {
  const { body, headers, status } = response;
  if (body === null) return response;
  let bytes = 0;
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        bytes += part.length;
        if (bytes > mostAnswerBytes) controller.error(tooLong());
        else controller.enqueue(part);
      },
    }),
  );
  return new Response(counted, { headers, status });
}

const tooLong = (): Problem =>
  new Problem({
    status: 413,
    code: "too_long_for_a_page",
    detail: `This is longer than a page can show, ${mostAnswerBytes / 2 ** 20} MiB. Read it with svc or by the API.`,
  });
