import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished, vi } from "vitest";
import { waitLimitMs } from "../run/hang-limits.ts";
import { passInPart } from "./pass-in-part.ts";

/**
 * What can go wrong with a request. `down`, `hang` and the numbers: the broker never hears of it. `reset` and
 * `truncated`: it does, and its answer is lost. 401 to 410 are in the broker's own words; `html` is a proxy's page.
 */
export const faults = [
  "hang", // what takes longest begins first
  "down",
  "500",
  "429",
  "html",
  "reset",
  "401",
  "404",
  "409",
  "410",
  "truncated",
] as const;
/** `cut` breaks an answer off after its first piece; `whole` keeps it until it is all there, as some proxies do. */
export type Fault = (typeof faults)[number] | "cut" | "whole";

/** Which requests: `POST /finish` stands for its method and what its path ends with or holds. */
export type Matcher = string | ((seen: SeenRequest) => boolean);

export type SeenRequest = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** When it came, by performance.now(). */
  readonly atMs: number;
  /** How it went: the status that was answered, or the fault that had no status; undefined while it is under way. */
  end: number | Fault | undefined;
};

export type FaultProxy = {
  /** The broker's URL by way of this proxy. */
  readonly url: string;
  /** From now on the requests that match go wrong, so many times or until it is mended. */
  readonly fail: (which: Matcher, fault: Fault, times?: number, retryAfterS?: number) => Failing;
  /** From now on the requests that match wait here until they are let go on. */
  readonly hold: (which: Matcher) => { readonly release: () => void };
  /** Nothing goes wrong any more. */
  readonly mend: () => void;
  /** Closes the port, or opens it again: connections are refused in between. */
  readonly setDown: (isDown: boolean) => Promise<void>;
  /** Every request that came, first to last, and those that match. */
  readonly seen: (which?: Matcher) => readonly SeenRequest[];
};

export type Failing = {
  readonly mend: () => void;
  /** How many requests it has hit. */
  readonly hits: () => number;
};

type Rule = {
  readonly matches: (seen: SeenRequest) => boolean;
  readonly fault: Fault;
  readonly retryAfterS: number;
  left: number;
  hits: number;
};

type Hold = Pick<Rule, "matches"> & { readonly released: Promise<void> };

const page = "<!doctype html><html><body><h1>Sign in to the network</h1></body></html>";
const statusFaults: Readonly<Record<string, string>> = {
  500: "internal",
  429: "rate_limited",
  401: "invalid_token",
  404: "gone_for_the_test",
  409: "conflict_for_the_test",
  410: "gone_for_the_test",
};

/** Who is behind a proxy: a URL, and whose certificates it may show. */
type Target = { readonly url: string; readonly ca?: string };

/**
 * A proxy in front of a broker, or of another server whose certificates `ca` has signed, that lets chosen requests go
 * wrong; it is closed after the test.
 */
export async function faultProxy(targetUrl: string, ca?: string): Promise<FaultProxy> {
  const target = { url: targetUrl, ...(ca !== undefined && { ca }) };
  const rules: Rule[] = [];
  const holds: Hold[] = [];
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void take(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  });

  async function take(request: http.IncomingMessage, response: http.ServerResponse) {
    const { method = "", url: path = "", headers } = request;
    const atMs = performance.now();
    const body = await buffer(request);
    const one: SeenRequest = { method, path, headers, body, atMs, end: undefined };
    seen.push(one);
    for (const { released } of holds.filter(({ matches }) => matches(one))) await released;
    const rule = rules.find(({ left, matches }) => left > 0 && matches(one));
    if (rule === undefined) return await forward(target, one, response);
    rule.left -= 1;
    rule.hits += 1;
    await goWrong(rule, target, one, response);
  }

  // While it is down, somebody else's port 0 may be this port for a moment.
  const listen = async (port: number): Promise<void> =>
    await vi.waitFor(
      async () => {
        server.listen(port, "127.0.0.1");
        await once(server, "listening"); // rejects with the server's error
      },
      { timeout: waitLimitMs, interval: 50 },
    );
  await listen(0);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const close = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(async () => {
    if (server.listening) await close();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    fail(which, fault, times = Number.POSITIVE_INFINITY, retryAfterS = 0) {
      const rule = { matches: matcherOf(which), fault, retryAfterS, left: times, hits: 0 };
      rules.push(rule);
      return { mend: () => void (rule.left = 0), hits: () => rule.hits };
    },
    hold(which) {
      const { promise, resolve } = Promise.withResolvers<void>();
      holds.push({ matches: matcherOf(which), released: promise });
      return { release: resolve };
    },
    mend: () => void rules.splice(0),
    setDown: async (isDown) => await (isDown ? close() : listen(port)),
    seen: (which) => (which === undefined ? seen : seen.filter(matcherOf(which))),
  };
}

function matcherOf(which: Matcher): (seen: SeenRequest) => boolean {
  if (typeof which === "function") return which;
  const [method = "", part = ""] = which.split(" ");
  return (seen) => seen.method === method && seen.path.includes(part);
}

async function goWrong(
  { fault, retryAfterS }: Rule,
  target: Target,
  one: SeenRequest,
  response: http.ServerResponse,
): Promise<void> {
  const code = statusFaults[fault];
  if (fault === "hang") return;
  if (fault === "down") {
    one.end = fault;
    response.socket?.destroy();
  } else if (code !== undefined) {
    one.end = Number(fault);
    const body = JSON.stringify({ status: one.end, code, title: code, detail: `a ${fault}` });
    const headers = { "content-type": "application/json", "retry-after": String(retryAfterS) };
    response.writeHead(one.end, headers);
    response.end(body);
  } else if (fault === "html") {
    one.end = 200;
    response.writeHead(200, { "content-type": "text/html" }).end(page);
  } else if (fault === "cut" || fault === "whole") {
    const answer = await ask(target, one, response);
    one.end = fault === "cut" ? fault : answer.statusCode;
    await passInPart(fault, answer, response);
  } else {
    await loseTheAnswer(fault, target, one, response);
  }
}

async function loseTheAnswer(
  fault: Fault,
  target: Target,
  one: SeenRequest,
  response: http.ServerResponse,
): Promise<void> {
  const answer = await ask(target, one, response);
  const body = await buffer(answer);
  one.end = fault;
  if (fault === "truncated") {
    response.writeHead(answer.statusCode ?? 0, {
      "content-type": answer.headers["content-type"],
      "content-length": body.length,
    });
    await new Promise<void>((resolve) => {
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => resolve());
    });
  }
  response.socket?.resetAndDestroy();
}

async function forward(target: Target, one: SeenRequest, response: http.ServerResponse) {
  const answer = await ask(target, one, response);
  one.end = answer.statusCode;
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
}

/** Who hangs up here hangs up at the broker, too: a parked poll must not outlive its client. */
async function ask(
  target: Target,
  { method, path, headers, body }: SeenRequest,
  response: http.ServerResponse,
): Promise<http.IncomingMessage> {
  const url = new URL(path, target.url);
  const { request: begin } = url.protocol === "https:" ? https : http;
  const options = { method, headers, agent: false as const };
  const request = begin(url, target.ca === undefined ? options : { ...options, ca: target.ca });
  response.on("close", () => request.destroy());
  request.end(body);
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  answer.on("error", () => response.destroy());
  return answer;
}
