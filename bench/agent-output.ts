import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeBrokerClient } from "../agent/client/broker-client.ts";
import { makeBrokerClock } from "../agent/client/broker-clock.ts";
import { openTransport } from "../agent/client/network.ts";
import { makeTokenSource } from "../agent/client/token-source.ts";
import { openLog } from "../agent/log.ts";
import { encodingsOf } from "../agent/logs/encodings-of.ts";
import { type AgentLogs, openLogs } from "../agent/logs/open-logs.ts";
import { makeRedactor } from "../agent/logs/redactor.ts";
import { makeSendLogs } from "../agent/logs/send-logs.ts";
import type { OutputChunk } from "../agent/processes/child.ts";
import type { Bench, Tell } from "./support/bench.ts";

const wholeBytes = 100_000_000;
const pieceBytes = 256 * 1024;
const secretCount = 20;

/**
 * What an agent does with what its jobs print, without the job and without the broker: the output comes from memory, as
 * fast as it is taken; the logs go over HTTP to a process that unpacks and forgets them.
 */
export const agentOutput: Bench = {
  what: "100 MB of a job's output: redacted, spooled and delivered; memory; the redactor beside a plain loop",
  run: async ({ scale }, tell) => {
    const secrets = Array.from({ length: secretCount }, () => randomBytes(24).toString("base64"));
    const piece = samplePiece(secrets);
    const count = Math.max(4, Math.round((wholeBytes * scale) / piece.length));
    compareRedactors(tell, { secrets, piece, count });
    const sink = fork(path.join(import.meta.dirname, "support", "log-sink.ts"));
    const [{ url }] = (await once(sink, "message")) as [{ url: string }];
    const dir = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
    try {
      await deliver(tell, { url, dir, secrets, piece, count });
    } finally {
      sink.disconnect();
      await rm(dir, { recursive: true });
    }
  },
};

type Load = { readonly secrets: readonly string[]; readonly piece: Buffer; readonly count: number };

/** Lines as terraform prints them, a secret in one of five hundred. */
function samplePiece(secrets: readonly string[]): Buffer {
  let text = "";
  for (let at = 0; text.length < pieceBytes; at++) {
    const secret = at % 500 === 499 ? ` password=${secrets[at % secrets.length]}` : "";
    const id = randomBytes(8).toString("hex");
    text += `module.network.aws_subnet.private[${at}]: Creation complete after ${at % 60}s [id=subnet-${id}]${secret}\n`;
  }
  return Buffer.from(text);
}

/** Each secret in each encoding searched for and replaced, one after the other: how it is commonly done. */
function compareRedactors(tell: Tell, { secrets, piece, count }: Load): void {
  const stream = makeRedactor(secrets).stream();
  const needles = secrets.flatMap((secret) => [...encodingsOf(Buffer.from(secret))]);
  const ours = speedOf(() => stream.push(piece).length, piece.length, count);
  const plainly = speedOf(
    () => {
      let text = piece.toString("latin1");
      for (const needle of needles) text = text.replaceAll(needle, "***");
      return text.length;
    },
    piece.length,
    Math.max(2, Math.round(count / 20)),
  );
  const note = `${secretCount} secrets, ${needles.length} needles and the shapes of tokens`;
  const target = { atLeast: 200 };
  tell({ figure: "redactor", value: ours, unit: "MB/s", target, note });
  tell({ figure: "a search for each needle", value: plainly, unit: "MB/s" });
  tell({ figure: "redactor ÷ search for each", value: ours / plainly, unit: "×" });
}

function speedOf(act: () => number, bytes: number, count: number): number {
  for (let nth = 0; nth < Math.ceil(count / 10); nth++) act();
  const startedMs = performance.now();
  let total = 0;
  for (let nth = 0; nth < count; nth++) total += act();
  if (total === 0) throw new Error("nothing came out");
  return (bytes * count) / 1000 / (performance.now() - startedMs);
}

type Delivery = Load & { readonly url: string; readonly dir: string };

async function deliver(tell: Tell, { url, dir, secrets, piece, count }: Delivery): Promise<void> {
  const logs = await openSink(url, dir);
  const pour = async (name: string, pieces: number): Promise<void> => {
    const spec = { executionId: `exe_${name}`, streamId: `lgs_${name}`, attributes: {} };
    const log = await logs.openJobLog(spec, makeRedactor(secrets));
    const output = { [Symbol.asyncIterator]: () => chunksOf(piece, pieces), release: () => {} };
    await log.pipe({ step: "apply", run: "1" }, output);
    await log.close();
    if (!(await logs.shipping.allDrained(120_000))) throw new Error("the log is not delivered");
  };
  await pour("warm", Math.ceil(count / 4));
  const before = process.memoryUsage().rss;
  let most = before;
  const watching = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const startedMs = performance.now();
  await pour("measured", count);
  const tookMs = performance.now() - startedMs;
  clearInterval(watching);
  await logs.shipping.stop();
  const lines = piece.toString("latin1").split("\n").length * count;
  const megabytes = (piece.length * count) / 1e6;
  const note = `${Math.round(megabytes)} MB, ${Math.round((lines / tookMs) * 1000)} lines/s`;
  const target = { atLeast: 20 };
  const speed = (megabytes / tookMs) * 1000;
  tell({ figure: "redacted, spooled and delivered", value: speed, unit: "MB/s", target, note });
  tell({
    figure: "growth of memory meanwhile",
    value: (most - before) / 2 ** 20,
    unit: "MB",
    target: { atMost: 50 },
  });
}

async function* chunksOf(bytes: Buffer, count: number): AsyncGenerator<OutputChunk> {
  for (let nth = 0; nth < count; nth++) {
    yield { bytes, offset: nth * bytes.length, atMs: Date.now() };
  }
}

async function openSink(url: string, dir: string): Promise<AgentLogs> {
  const log = openLog("silent");
  const limits = { fromMs: 500, mostMs: 30_000 };
  const token = "none";
  const client = makeBrokerClient({
    transport: openTransport({ brokerUrl: url, caFile: undefined, env: {} }),
    tokens: makeTokenSource(token, () => token),
    clock: makeBrokerClock(),
    log,
    limits,
    requestTimeoutMs: 30_000,
    userAgent: "svc-agent/bench",
  });
  return await openLogs({ dir, send: makeSendLogs(client), clock: client.clock, log, limits });
}
