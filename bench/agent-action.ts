import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenFleet } from "./support/given-fleet.ts";
import {
  agentProgram,
  enqueue,
  startLoneAgent,
  type Timing,
  waitFor,
} from "./support/lone-agent.ts";
import { withStage } from "./support/stage.ts";

const command = ["sleep", "0.05"] as const;
const plan = JSON.stringify({ steps: [{ name: "one", argv: command }] });
const action = `{"type":"actions-workflow","group":"deploy","plan":${plan}}`;

const cancels = 40;

/** What an action of one command takes, from its enqueue to its end, against the command started plainly, in turns. */
export const agentAction: Bench = {
  what: "an action of one command, from enqueue to its end, over what the command itself takes",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 1, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const [first] = fleet.agents;
      if (first === undefined) return;
      const { note, program } = agentProgram();
      const agent = await startLoneAgent({ url: broker.url, program }, first);
      const timing = { fleet, agent: first };
      await inTurns(connection, timing, warmUpS);
      const { actions, plain } = await inTurns(connection, timing, seconds);
      const [action, alone] = [quantile(actions, 0.5), quantile(plain, 0.5)];
      const times = `${actions.length} times, ${note}`;
      tell({ figure: "action of one command, p50", value: action, unit: "ms", note: times });
      tell({ figure: "the command itself, p50", value: alone, unit: "ms" });
      const target = { atMost: 40 };
      tell({ figure: "added to the command", value: action - alone, unit: "ms", target });
      tellCancels(tell, await timeCancels(connection, timing));
      await agent.end();
      connection.close();
    });
  },
};

async function inTurns(
  connection: Connection,
  timing: Timing,
  seconds: number,
): Promise<{ readonly actions: number[]; readonly plain: number[] }> {
  const [actions, plain]: [number[], number[]] = [[], []];
  const untilMs = performance.now() + seconds * 1000;
  while (performance.now() < untilMs) {
    const startedMs = performance.now();
    await waitFor(connection, timing.fleet, await enqueue(connection, timing, action));
    const endedMs = performance.now();
    await once(spawn(command[0], command.slice(1), { stdio: "ignore" }), "exit");
    actions.push(endedMs - startedMs);
    plain.push(performance.now() - endedMs);
  }
  return { actions, plain };
}

/** From an operator's call until the child hears of it by SIGTERM; it writes down when that is. */
async function timeCancels(connection: Connection, timing: Timing): Promise<number[]> {
  const { adminToken } = timing.fleet;
  const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  const took: number[] = [];
  for (let nth = 0; nth < cancels; nth += 1) {
    const file = path.join(folder, `${nth}`);
    const script = `trap 'date +%s%3N >${file}; exit 0' TERM; while :; do sleep 0.005; done`;
    const steps = [{ name: "endless", argv: ["sh", "-c", script] }];
    const job = { type: "actions-workflow", group: "deploy", plan: { steps } };
    const jobId = await enqueue(connection, timing, JSON.stringify(job));
    await waitUntil(connection, adminToken, jobId, "in-progress");
    await sleep(runsForMs); // the child runs
    const calledAtMs = Date.now();
    await connection.send(requestText(`POST /v1/runner-jobs/${jobId}/cancel`, adminToken, "{}"));
    took.push((await heardAtMs(file)) - calledAtMs);
  }
  await rm(folder, { recursive: true });
  return took;
}

async function heardAtMs(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await sleep(lookEveryMs);
  }
}

const runsForMs = 150;
const lookEveryMs = 5;

async function waitUntil(
  connection: Connection,
  token: string,
  jobId: string,
  status: string,
): Promise<void> {
  for (;;) {
    const { body } = await connection.send(requestText(`GET /v1/runner-jobs/${jobId}`, token));
    if ((JSON.parse(body) as { status: string }).status === status) return;
    await sleep(lookEveryMs);
  }
}

function tellCancels(tell: Tell, took: readonly number[]): void {
  const figure = "cancel, from the call to the child's SIGTERM";
  const note = `${took.length} times`;
  tell({ figure: `${figure}, p50`, value: quantile([...took], 0.5), unit: "ms", note });
  const target = { atMost: 2_000 };
  tell({ figure: `${figure}, p95`, value: quantile([...took], 0.95), unit: "ms", target });
}
