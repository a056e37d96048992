import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { agentProgram, enqueue, startLoneAgent } from "./support/lone-agent.ts";
import { withStage } from "./support/stage.ts";

const orders = 50;
const atOnce = 10;
const runsForMs = 200;
const lookEveryMs = 20;

const steps = [{ name: "endless", argv: ["sleep", "3600"] }];
const endless = JSON.stringify({ type: "actions-workflow", group: "deploy", plan: { steps } });

/** How long an operator's order takes from its POST until the agent has it: agents that wait for jobs, and agents that run one. */
export const ordersToAgents: Bench = {
  what: "an operator's order, from its POST until an idle or busy agent has it",
  run: async ({ scale }, tell) => {
    await withStage(async (stage) => {
      const count = Math.max(1, Math.round(orders * scale));
      const fleet = await givenFleet(stage.db, 2 * count, 1);
      const broker = await stage.startBroker();
      const { note, program } = agentProgram();
      for (const what of ["idle", "busy"] as const) {
        const agents = what === "idle" ? fleet.agents.slice(0, count) : fleet.agents.slice(count);
        const took: Took[] = [];
        for (let at = 0; at < count; at += atOnce) {
          const some = agents.slice(at, at + atOnce);
          took.push(...(await orderSome({ url: broker.url, program, fleet }, some, what)));
        }
        const heard = took.map(({ heardMs }) => heardMs);
        const answered = took.map(({ answeredMs }) => answeredMs);
        const figure = `order to an agent that is ${what}`;
        const times = `${count} agents, ${note}`;
        tell({ figure: `${figure}, p50`, value: quantile(heard, 0.5), unit: "ms", note: times });
        const target = { atMost: 1_000 };
        tell({ figure: `${figure}, p95`, value: quantile(heard, 0.95), unit: "ms", target });
        tell({ figure: "its POST's own answer, p50", value: quantile(answered, 0.5), unit: "ms" });
        tell({ figure: "its POST's own answer, p95", value: quantile(answered, 0.95), unit: "ms" });
      }
    });
  },
};

/** From the POST on. */
type Took = { readonly heardMs: number; readonly answeredMs: number };
type Place = { readonly url: string; readonly program: string; readonly fleet: Fleet };

/** Starts these agents, and orders one after the other: what a loaded machine starts beside is not measured. */
async function orderSome(
  { url, program, fleet }: Place,
  agents: readonly FleetAgent[],
  what: "idle" | "busy",
): Promise<Took[]> {
  const connection = await openConnection(url);
  const heard = agents.map(() => Promise.withResolvers<number>());
  const started = await Promise.all(
    agents.map(async (agent, at) => {
      const onLine = (line: string): void => {
        if (line.includes('"order received"')) heard[at]?.resolve(performance.now());
      };
      return await startLoneAgent({ url, program, onLine }, agent);
    }),
  );
  if (what === "busy") for (const agent of agents) await occupy(connection, fleet, agent);
  await sleep(runsForMs);
  const took: Took[] = [];
  const order = what === "idle" ? "graceful-shutdown" : "force-shutdown";
  for (const [at, { runnerId }] of agents.entries()) {
    const postedAtMs = performance.now();
    const route = `POST /v1/runners/${runnerId}/${order}`;
    await connection.send(requestText(route, fleet.adminToken, "{}"));
    const answeredMs = performance.now() - postedAtMs;
    const heardAtMs = (await heard[at]?.promise) ?? Number.POSITIVE_INFINITY;
    took.push({ heardMs: heardAtMs - postedAtMs, answeredMs });
  }
  await Promise.all(started.map(async ({ end }) => await end()));
  connection.close();
  return took;
}

/** Gives it a job that does not end by itself, and waits until that runs. */
async function occupy(connection: Connection, fleet: Fleet, agent: FleetAgent): Promise<void> {
  const jobId = await enqueue(connection, { fleet, agent }, endless);
  for (;;) {
    const answer = await connection.send(
      requestText(`GET /v1/runner-jobs/${jobId}`, fleet.adminToken),
    );
    if ((JSON.parse(answer.body) as { status: string }).status === "in-progress") return;
    await sleep(lookEveryMs);
  }
}
