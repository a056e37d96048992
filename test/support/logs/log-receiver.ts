import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { makeBrokerClient } from "../../../agent/client/broker-client.ts";
import { makeBrokerClock } from "../../../agent/client/broker-clock.ts";
import { openTransport } from "../../../agent/client/network.ts";
import { makeTokenSource } from "../../../agent/client/token-source.ts";
import { openLog } from "../../../agent/log.ts";
import { openLogs } from "../../../agent/logs/open-logs.ts";
import { makeSendLogs } from "../../../agent/logs/send-logs.ts";
import { toLogRequest } from "../../../broker/logs/intake/to-log-request.ts";
import type { LogEntry } from "../../../broker/logs/store/log-record.ts";
import { logsRequest } from "../../../broker/otlp/otlp-messages.ts";
import { readProtobuf } from "../../../broker/otlp/read-protobuf.ts";

/** A request as it came. */
export type SeenLogs = {
  readonly path: string;
  readonly body: Buffer;
  readonly entries: readonly LogEntry[];
};

/** What to answer; 201 stores, `lost` stores and closes the connection, anything else does not store. */
export type Reply = {
  readonly status: number;
  readonly isLost?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type LogReceiver = {
  readonly url: string;
  readonly seen: readonly SeenLogs[];
  /** What was stored of a stream: by number, each once. */
  readonly stored: (streamId: string) => LogEntry[];
  /** How the requests to come are answered. */
  readonly answer: (reply: (seen: SeenLogs) => Reply | Promise<Reply>) => void;
};

export const accepted: Reply = { status: 201 };

/** The broker's words for a refusal. */
export const refusal = (status: number, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "application/problem+json", ...headers },
  body: JSON.stringify({ status, code: "no", detail: "No." }),
});

/** Takes OTLP/HTTP as a broker does, and answers as it is told. */
export async function startLogReceiver(): Promise<LogReceiver> {
  const seen: SeenLogs[] = [];
  const streams = new Map<string, Map<number, LogEntry>>();
  let reply: (seen: SeenLogs) => Reply | Promise<Reply> = () => accepted;
  const server = http.createServer((request, response) => {
    void (async () => {
      const sent = await buffer(request);
      const path = request.url ?? "";
      // An agent of another test may still call a port that was its broker's; its streams have ids, those of tests names.
      if (request.headers["content-encoding"] !== "gzip" || /\/lgs_[0-9a-z]{26}\//.test(path)) {
        response.writeHead(404).end();
        return;
      }
      const body = gunzipSync(sent);
      const one = { path, body, entries: toLogRequest(readProtobuf(body, logsRequest), 0).entries };
      seen.push(one);
      const { status, isLost, headers, body: text } = await reply(one);
      if (status === 201) store(one);
      if (isLost === true) {
        request.socket.destroy();
        return;
      }
      response.writeHead(status, { "content-type": "application/x-protobuf", ...headers });
      response.end(text);
    })();
  });
  const store = ({ path, entries }: SeenLogs): void => {
    const streamId = path.split("/")[3] ?? "";
    const stream = streams.get(streamId) ?? new Map<number, LogEntry>();
    streams.set(streamId, stream);
    for (const entry of entries) {
      if (!stream.has(entry.seq ?? 0)) stream.set(entry.seq ?? 0, entry);
    }
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stored: (streamId) =>
      [...(streams.get(streamId)?.entries() ?? [])].sort(([a], [b]) => a - b).map(([, one]) => one),
    answer: (next) => (reply = next),
  };
}

export type LogsAsked = {
  readonly url: string;
  readonly dir: string;
  readonly token?: string;
  readonly maxBytesPerJob?: number;
  readonly maxBytes?: number;
  readonly onDoubt?: (executionId: string) => void;
};

/** An agent's logs, sent in a hurry; they stop after the test. */
export async function openTestLogs({ url, token = "a-token", ...asked }: LogsAsked) {
  const lines: string[] = [];
  const log = openLog("debug", { write: (line) => void lines.push(line) });
  const limits = { fromMs: 5, mostMs: 20 };
  const client = makeBrokerClient({
    transport: openTransport({ brokerUrl: url, caFile: undefined, env: {} }),
    tokens: makeTokenSource(token, () => token),
    clock: makeBrokerClock(),
    log,
    limits,
    requestTimeoutMs: 60_000,
    userAgent: "svc-agent/test",
    onEnd: () => {},
  });
  const logs = await openLogs({
    ...asked,
    send: makeSendLogs(client),
    clock: client.clock,
    log,
    limits,
  });
  onTestFinished(async () => {
    await logs.shipping.stop();
    client.close();
  });
  return { ...logs, lines };
}
