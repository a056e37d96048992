import postgres from "postgres";
import { type Connection, openConnections } from "../http-client.ts";
import type { BenchOptions, Tell } from "./bench.ts";
import { openFloor } from "./floor.ts";
import { type Fleet, givenFleet } from "./given-fleet.ts";
import {
  type Contestant,
  inTurns,
  loadGenerator,
  ratio,
  serversCpuUs,
  type Turns,
} from "./in-turns.ts";
import type { LiveClient } from "./lives.ts";
import { startAlone, startHonoOverBoss } from "./peers.ts";
import { profiledBroker, profiledSettings, resetProfile, writeProfile } from "./profile.ts";
import { runClients } from "./run-clients.ts";
import { type Stage, withStage } from "./stage.ts";

/** How lives are lived: by so many clients, so many of them in each act. */
export type LivesKind = {
  readonly name: string;
  readonly kind: "single" | "batch";
  readonly clients: number;
  readonly livesAtOnce: number;
  /** Slots of each runner. */
  readonly slots: number;
  readonly act: (client: LiveClient) => Promise<unknown>;
};

export type LivesTurns = Record<"bare" | "ours" | "alone" | "graphile" | "overHttp", Turns>;

/**
 * Lives of jobs through the broker, through Hono over pg-boss by the same calls, and in pg-boss and graphile-worker alone, beside
 * what bare Hono takes: all set up at once on one Postgres, and each in its turn. The load comes from this process.
 */
export async function livesInTurns(
  options: BenchOptions,
  lives: LivesKind,
  settings: Readonly<Record<string, string>> = profiledSettings(options),
): Promise<LivesTurns> {
  return withStage(
    async (stage) => {
      const floor = await openFloor(lives.clients);
      const ours = await openOurs(stage, options, lives);
      const overHttp = await openOverHttp(stage, ours.fleet, lives);
      const urls = {
        boss: await stage.makeDatabase("boss_alone"),
        graphile: await stage.makeDatabase("graphile_alone"),
      };
      const alone = await startAlone("pg-boss", urls.boss);
      const graphile = await startAlone("graphile-worker", urls.graphile);
      const { postgresPid: Postgres } = stage;
      const turns = await inTurns(
        {
          bare: floor,
          ours: ours.contestant,
          alone: { work: alone.work(lives.kind), pids: { "pg-boss": alone.pid, Postgres } },
          graphile: {
            work: graphile.work(lives.kind),
            pids: { "graphile-worker": graphile.pid, Postgres },
          },
          overHttp: overHttp.contestant,
        },
        {
          ...options,
          onWarm: async () => {
            // Their tables were planned for while they were empty, and no bench runs as long as autovacuum waits.
            for (const url of [urls.boss, urls.graphile, overHttp.url]) await analyze(url);
            await resetProfile(stage.db, options);
          },
        },
      );
      await writeProfile(stage.db, options, lives.name);
      await Promise.all([
        floor.close(),
        ours.close(),
        overHttp.close(),
        alone.stop(),
        graphile.stop(),
      ]);
      return turns;
    },
    { settings },
  );
}

/** The ratios that both kinds of lives tell, and what a life costs each. */
export function tellLives(
  tell: Tell,
  { ours, alone, graphile, overHttp }: LivesTurns,
  least: { readonly alone: number; readonly graphile: number; readonly overHttp: number },
): void {
  tell({
    figure: "lives ÷ Hono over pg-boss",
    ...ratio(ours, overHttp),
    unit: "×",
    target: { atLeast: least.overHttp },
  });
  tell({
    figure: "lives ÷ pg-boss alone",
    ...ratio(ours, alone),
    unit: "×",
    target: { atLeast: least.alone },
  });
  tell({
    figure: "lives ÷ graphile-worker alone",
    ...ratio(ours, graphile),
    unit: "×",
    target: { atLeast: least.graphile },
  });
  const others = { "Hono over pg-boss": overHttp, "pg-boss": alone, "graphile-worker": graphile };
  const named = { broker: ours, ...others };
  for (const [name, turns] of Object.entries(named)) {
    const parts = Object.entries(turns.cpuUs).map(([of, us]) => `${of} ${Math.round(us)}`);
    const value = serversCpuUs(turns);
    tell({ figure: `CPU a life, ${name} and Postgres`, value, unit: "µs", note: parts.join(", ") });
  }
  for (const [name, turns] of Object.entries(others)) {
    const value = serversCpuUs(turns) / serversCpuUs(ours);
    tell({ figure: `CPU a life, ${name} ÷ ours`, value, unit: "×" });
  }
}

type Opened = { readonly contestant: Contestant; readonly close: () => Promise<void> };

async function openOurs(
  stage: Stage,
  options: BenchOptions,
  lives: LivesKind,
): Promise<Opened & { readonly fleet: Fleet }> {
  const fleet = await givenFleet(stage.db, lives.clients, lives.slots);
  const broker = await stage.startBroker(profiledBroker(options));
  return { fleet, ...(await openClients(stage, { server: broker, name: "broker" }, fleet, lives)) };
}

/** The same clients at the same runners; who asks is one token. */
async function openOverHttp(
  stage: Stage,
  fleet: Fleet,
  lives: LivesKind,
): Promise<Opened & { readonly url: string }> {
  const token = fleet.adminToken;
  const url = await stage.makeDatabase("boss_over_http");
  const runnerIds = fleet.agents.map(({ runnerId }) => runnerId);
  const server = await startHonoOverBoss(url, token, runnerIds);
  const agents = fleet.agents.map((agent) => ({ ...agent, token }));
  const opened = await openClients(stage, { server, name: "server" }, { ...fleet, agents }, lives);
  return { ...opened, url };
}

/** Has Postgres count a database's tables. */
async function analyze(url: string): Promise<void> {
  const db = postgres(url, { max: 1, onnotice: () => {} });
  await db`analyze`;
  await db.end();
}

type Served = {
  readonly name: string;
  readonly server: {
    readonly url: string;
    readonly pid: number;
    readonly stop: () => Promise<void>;
  };
};

async function openClients(
  { postgresPid }: Stage,
  { server, name }: Served,
  fleet: Fleet,
  { livesAtOnce, act }: LivesKind,
): Promise<Opened> {
  const connections = await openConnections(server.url, fleet.agents.length);
  const clients = fleet.agents.map((agent, at) => ({
    connection: connections[at] as Connection, // as many were opened
    agent,
    adminToken: fleet.adminToken,
  }));
  return {
    contestant: {
      work: async (seconds) => {
        const { count, seconds: tookS } = await runClients(clients, seconds, act);
        return { count: count * livesAtOnce, seconds: tookS };
      },
      pids: { [name]: server.pid, Postgres: postgresPid, [loadGenerator]: process.pid },
    },
    close: async () => {
      for (const { close } of connections) close();
      await server.stop();
    },
  };
}
