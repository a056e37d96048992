import { type Connection, openConnections, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import {
  type Contestant,
  inTurns,
  loadGenerator,
  medianRate,
  ratio,
  serversCpuUs,
} from "./support/in-turns.ts";
import { claimedPaths, expectStatus, finishBody, jobBody } from "./support/lives.ts";
import { runClients } from "./support/run-clients.ts";
import { type Stage, withStage } from "./support/stage.ts";

const clients = 64;

/**
 * The life of a job as our agent with one slot lives it: the parked poll is answered, a poll for orders alone takes its
 * place, the first report, the end, the next poll. In turns: with that poll in the finish, and by itself.
 */
export const livesAgent: Bench = {
  what: "lives by our agent's calls, 64 clients: the next poll in the finish, and by itself, in turns",
  run: async (options, tell) => {
    await withStage(async (stage) => {
      const broker = await stage.startBroker({
        SVC_RATE_TOKEN_PER_S: "0",
        SVC_RATE_ORG_PER_S: "0",
      });
      const open = (isCarried: boolean) =>
        openContestant(stage, { url: broker.url, pid: broker.pid, isCarried });
      const carried = await open(true);
      const apart = await open(false);
      const turns = await inTurns(
        { carried: carried.contestant, apart: apart.contestant },
        options,
      );
      for (const [name, one] of Object.entries(turns)) {
        tell({ figure: `lives, the poll ${name}`, value: medianRate(one), unit: "lives/s" });
        const parts = Object.entries(one.cpuUs).map(([of, us]) => `${of} ${Math.round(us)}`);
        const value = serversCpuUs(one);
        tell({ figure: `CPU a life, the poll ${name}`, value, unit: "µs", note: parts.join(", ") });
      }
      const target = { atLeast: 1.05 };
      tell({ figure: "carried ÷ apart", ...ratio(turns.carried, turns.apart), unit: "×", target });
      carried.close();
      apart.close();
      await broker.stop();
    });
  },
};

type Asked = { readonly url: string; readonly pid: number; readonly isCarried: boolean };

async function openContestant(stage: Stage, { url, pid, isCarried }: Asked) {
  const { agents, adminToken } = await givenFleet(stage.db, clients, 1);
  const connections = await openConnections(url, 3 * clients);
  const living = agents.map((agent, at) => {
    const [polls, orders, calls] = connections.slice(3 * at, 3 * at + 3);
    if (polls === undefined || orders === undefined || calls === undefined)
      throw new Error("a connection is missing");
    return new Agent(agent, adminToken, { polls, orders, calls });
  });
  const contestant: Contestant = {
    work: async (seconds) => await runClients(living, seconds, async (one) => one.live(isCarried)),
    pids: { broker: pid, Postgres: stage.postgresPid, [loadGenerator]: process.pid },
  };
  return { contestant, close: () => connections.forEach((one) => one.close()) };
}

type Lines = Readonly<Record<"polls" | "orders" | "calls", Connection>>;

/** One agent; between two lives its poll is parked. */
class Agent {
  readonly #agent: FleetAgent;
  readonly #adminToken: string;
  readonly #lines: Lines;
  #parked: Promise<readonly string[]> | undefined;

  constructor(agent: FleetAgent, adminToken: string, lines: Lines) {
    this.#agent = agent;
    this.#adminToken = adminToken;
    this.#lines = lines;
  }

  async live(isCarried: boolean): Promise<void> {
    const { runnerId, token } = this.#agent;
    const { calls, orders, polls } = this.#lines;
    const isOver = await Promise.race([this.#parked ?? [], Promise.resolve(undefined)]);
    const parked = isOver === undefined && this.#parked !== undefined ? this.#parked : this.#poll(); // its wait may have been over in the other's turn
    const enqueue = requestText(`POST /v1/runners/${runnerId}/jobs`, this.#adminToken, jobBody);
    expectStatus(await calls.send(enqueue), 201);
    const [path] = await parked;
    if (path === undefined) throw new Error("a parked poll was answered without a job");
    const forOrders = orders.send(this.#claimText("{}"));
    const report = requestText(`PATCH ${path}`, token, '{"status":"in-progress"}');
    expectStatus(await calls.send(report), 200);
    if (isCarried) {
      const claim = `{"group":"deploy","poll_id":"${crypto.randomUUID()}"}`;
      const body = `${finishBody.slice(0, -1)},"claim":${claim}}`;
      this.#parked = polls
        .send(requestText(`POST ${path}/finish`, token, body))
        .then(({ status, body: text }) =>
          claimedPaths({ status, body: text.split("\n")[1] ?? "" }),
        );
    } else {
      expectStatus(await calls.send(requestText(`POST ${path}/finish`, token, finishBody)), 200);
      this.#parked = this.#poll();
    }
    await forOrders; // the next poll is parked: it has ended this one
  }

  async #poll(): Promise<readonly string[]> {
    return claimedPaths(await this.#lines.polls.send(this.#claimText('{"deploy":1}')));
  }

  #claimText(groups: string): string {
    const { runnerId, processId, token } = this.#agent;
    const body = `{"process_id":"${processId}","poll_id":"${crypto.randomUUID()}","groups":${groups}}`;
    return requestText(`POST /v1/runners/${runnerId}/jobs/claim`, token, body);
  }
}
