import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { logRequestOf } from "../test/support/logs/given-logs.ts";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { withStage } from "./support/stage.ts";

const wholeReaders = 500;
const everyMs = 100;
/** So long the last lines may take. */
const patienceMs = 10_000;
const jobBody = '{"type":"noop-deploy","operation":"exec"}';

/** When each line was acknowledged, and when readers had it. */
type Lines = { readonly acceptedAtMs: number[]; readonly heardAtMs: Map<number, number[]> };

/**
 * One log with 500 followers at two brokers, ten appends a second through the first: from the append's answer to the
 * line at each follower. The followers and the writer are this process.
 */
export const logTail: Bench = {
  what: "append answered to the line at 500 followers, at two brokers",
  run: async ({ seconds, warmUpS, scale }, tell) => {
    const count = Math.max(2, Math.round(wholeReaders * scale));
    await withStage(async ({ db, startBroker }) => {
      const { agents, adminToken } = await givenFleet(db, 1, 1);
      const [agent] = agents;
      if (agent === undefined) throw new Error("there is no agent");
      const brokers = [await startBroker(), await startBroker()];
      const [first, second] = brokers;
      if (first === undefined || second === undefined) throw new Error("there are no brokers");
      const writer = await openConnection(first.url);
      const streamId = await givenStream(writer, agent.runnerId, adminToken);
      const sides = [first, second].map((broker) => ({ broker, lines: newLines() }));
      const sockets: Socket[] = [];
      for (let n = 0; n < count; n++) {
        const { broker, lines } = sides[n % 2] ?? { broker: first, lines: newLines() };
        sockets.push(await follow({ url: broker.url, streamId, adminToken }, lines));
      }
      const all = sides.map(({ lines }) => lines);
      const writing = { connection: writer, streamId, token: agent.token };
      const heardBy = async (written: number): Promise<void> =>
        await allHeard(
          all.map((lines, at) => ({ lines, expected: written * Math.ceil((count - at) / 2) })),
        );
      await heardBy(await writeLines(writing, all, warmUpS * 1000));
      for (const { acceptedAtMs, heardAtMs } of all) {
        acceptedAtMs.length = 0;
        heardAtMs.clear();
      }
      await heardBy(await writeLines(writing, all, seconds * 1000));
      for (const [at, where] of ["the broker that took it", "another broker"].entries()) {
        const lines = all[at] ?? newLines();
        const ms = latencies(lines);
        const note = `${ms.length} lines heard, ${count} followers, ${1000 / everyMs}/s`;
        const [p50, p99] = [quantile(ms, 0.5), quantile(ms, 0.99)];
        tell({ figure: `${where}, p50`, value: p50, unit: "ms", target: { atMost: 50 }, note });
        tell({ figure: `${where}, p99`, value: p99, unit: "ms", target: { atMost: 250 } });
      }
      for (const socket of sockets) socket.destroy();
      writer.close();
    });
  },
};

const newLines = (): Lines => ({ acceptedAtMs: [], heardAtMs: new Map() });

async function givenStream(
  writer: Connection,
  runnerId: string,
  adminToken: string,
): Promise<string> {
  const what = `POST /v1/runners/${runnerId}/jobs`;
  const { status, body } = await writer.send(requestText(what, adminToken, jobBody));
  if (status !== 201) throw new Error(`the job was answered ${status}: ${body}`);
  const { id } = JSON.parse(body) as { id: string };
  return `lgs_${id.slice(4)}`;
}

type Followed = { readonly url: string; readonly streamId: string; readonly adminToken: string };

/** A follower as thin as it can be: it looks for the lines' numbers and reads nothing else. */
function follow({ url, streamId, adminToken }: Followed, lines: Lines): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => {
      socket.write(
        requestText(`GET /v1/log-streams/${streamId}/logs/tail?last=0`, adminToken),
        "latin1",
      );
    });
    socket.setEncoding("latin1");
    socket.once("data", () => resolve(socket));
    socket.once("error", reject);
    socket.on("data", (text: string) => {
      const nowMs = performance.now();
      for (const [, number] of text.matchAll(/"bench line (\d+)"/g)) {
        const heard = lines.heardAtMs.get(Number(number)) ?? [];
        heard.push(nowMs);
        lines.heardAtMs.set(Number(number), heard);
      }
    });
  });
}

type Writing = {
  readonly connection: Connection;
  readonly streamId: string;
  readonly token: string;
};

/** Writes a line when it is time to; answers how many. */
async function writeLines(
  { connection, streamId, token }: Writing,
  all: readonly Lines[],
  forMs: number,
): Promise<number> {
  const total = Math.max(1, Math.floor(forMs / everyMs));
  for (let n = 0; n < total; n++) {
    const request = logRequestOf([`bench line ${n}`], "exe_00000000000000000000000000");
    const what = `POST /v1/log-streams/${streamId}/logs`;
    const { status, body } = await connection.send(
      requestText(what, token, JSON.stringify(request)),
    );
    if (status !== 201) throw new Error(`a line was answered ${status}: ${body}`);
    const nowMs = performance.now();
    for (const { acceptedAtMs } of all) acceptedAtMs[n] = nowMs;
    await sleep(everyMs);
  }
  return total;
}

type Awaited = { readonly lines: Lines; readonly expected: number };

/** Waits for every line at every follower; a line that never comes has no latency, and fails the bench. */
async function allHeard(sides: readonly Awaited[]): Promise<void> {
  const giveUpAtMs = performance.now() + patienceMs;
  const lacking = (): number[] =>
    sides.map(({ lines, expected }) => expected - latencies(lines).length);
  while (lacking().some((count) => count !== 0)) {
    if (performance.now() > giveUpAtMs) {
      throw new Error(`lines that were not heard, at each broker: ${lacking().join(", ")}`);
    }
    await sleep(everyMs);
  }
}

function latencies({ acceptedAtMs, heardAtMs }: Lines): number[] {
  return [...heardAtMs].flatMap(([n, heard]) => {
    const accepted = acceptedAtMs[n] ?? Number.NaN;
    return heard.map((at) => Math.max(0, at - accepted));
  });
}
