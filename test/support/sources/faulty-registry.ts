import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What goes wrong with a request, of which the registry itself may never hear. */
export type RegistryFaultOnWay =
  /** The connection breaks after so many bytes of the request's body, which the registry gets. */
  | { readonly cutRequestAt: number }
  /** The connection breaks after so many bytes of the answer's body. */
  | { readonly cutAnswerAt: number }
  | {
      readonly status: number;
      readonly headers?: http.OutgoingHttpHeaders;
      readonly body?: string | Buffer;
    };

/** A registry's request as it came by. */
export type Passed = {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
};

export type FaultyRegistry = {
  readonly host: string;
  readonly passed: Passed[];
  /** The next requests whose method and path match go wrong, so many of them. */
  readonly fail: (which: RegExp, fault: RegistryFaultOnWay, times?: number) => void;
  /** Requests that match wait until the answer is called. */
  readonly hold: (which: RegExp) => () => void;
};

type Rule = { readonly which: RegExp; readonly fault: RegistryFaultOnWay; left: number };

/** Stands before a registry, which it changes for the worse as it is told, for one test. */
export async function startFaultyRegistry(target: string): Promise<FaultyRegistry> {
  const passed: Passed[] = [];
  const rules: Rule[] = [];
  const holds: { readonly which: RegExp; readonly released: Promise<void> }[] = [];
  const [hostname = "", port = ""] = target.split(":");

  const serve = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = "", url: path = "", headers } = request;
    passed.push({ method, path, headers });
    const name = `${method} ${path}`;
    for (const { released } of holds.filter(({ which }) => which.test(name))) await released;
    const rule = rules.find(({ which, left }) => left > 0 && which.test(name));
    if (rule !== undefined) rule.left -= 1;
    const fault = rule?.fault;
    if (fault !== undefined && "status" in fault) {
      request.resume();
      response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
      return;
    }
    const onward = http.request({ hostname, port, method, path, headers });
    onward.on("error", () => response.destroy());
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      const most = fault !== undefined && "cutAnswerAt" in fault ? fault.cutAnswerAt : Infinity;
      pass(answer, response, most, () => void response.destroy());
    });
    const most = fault !== undefined && "cutRequestAt" in fault ? fault.cutRequestAt : Infinity;
    pass(request, onward, most, () => {
      request.socket.destroy();
      onward.destroy();
    });
    request.on("close", () => void (request.complete || onward.destroy()));
  };
  const server = http.createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    fail: (which, fault, times = 1) => void rules.push({ which, fault, left: times }),
    hold: (which) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      holds.push({ which, released: promise });
      return resolve;
    },
  };
}

/** Passes bytes on until there were so many. */
function pass(
  from: http.IncomingMessage,
  to: NodeJS.WritableStream,
  most: number,
  cut: () => void,
): void {
  let left = most;
  from.on("data", (piece: Buffer) => {
    if (left <= 0) return;
    const isLast = piece.length >= left;
    const given = piece.subarray(0, Math.min(left, piece.length));
    left -= given.length;
    const goesOn = to.write(given, () => void (isLast && most !== Infinity && cut()));
    if (!goesOn) {
      from.pause();
      to.once("drain", () => from.resume());
    }
  });
  from.on("end", () => void (left > 0 && to.end()));
}
