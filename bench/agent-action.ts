import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Connection, openConnection } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
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

/** What an action of one command takes, from its enqueue to its end, against the command started plainly, in turns. */
export const agentAction: Bench = {
  what: "an action of one command, from enqueue to its end, over what the command itself takes",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 1, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const [seat] = fleet.agents;
      if (seat === undefined) return;
      const { note, program } = agentProgram();
      const agent = await startLoneAgent({ url: broker.url, program }, seat);
      const timing = { fleet, agent: seat };
      await inTurns(connection, timing, warmUpS);
      const { actions, plain } = await inTurns(connection, timing, seconds);
      const [action, alone] = [quantile(actions, 0.5), quantile(plain, 0.5)];
      const times = `${actions.length} times, ${note}`;
      tell({ figure: "action of one command, p50", value: action, unit: "ms", note: times });
      tell({ figure: "the command itself, p50", value: alone, unit: "ms" });
      const target = { atMost: 40 };
      tell({ figure: "added to the command", value: action - alone, unit: "ms", target });
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
