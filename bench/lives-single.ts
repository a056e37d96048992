import { openConnections } from "./http-client.ts";
import type { Bench, BenchOptions, Tell } from "./support/bench.ts";
import { cpuOf } from "./support/cpu-of.ts";
import { measureFloor } from "./support/floor.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { liveOnce } from "./support/lives.ts";
import { pgBossSingle } from "./support/pg-boss-lives.ts";
import { profiledBroker, profiledSettings, resetProfile, writeProfile } from "./support/profile.ts";
import { runClients } from "./support/run-clients.ts";
import { type Stage, withStage } from "./support/stage.ts";

const clientCount = 64;
const calls = 4;

/**
 * The whole life of a job over HTTP with one call for each step, 64 clients at 64 runners, against what bare HTTP
 * allows and against pg-boss in this process. The load comes from this process.
 */
export const livesSingle: Bench = {
  what: "whole lives of jobs over HTTP, one call a step, 64 clients",
  run: async (options, tell) => {
    const floor = await measureFloor(clientCount, options);
    const bare = floor.perS / calls;
    tell({ figure: "bare Hono ÷ 4", value: bare, unit: "lives/s" });
    tell({ figure: "CPU of 4 bare POSTs, the server's", value: calls * floor.cpuUs, unit: "µs" });
    await withStage(
      async (stage) => {
        const lives = await measureLives(stage, options, tell);
        tell({ figure: "lives, single calls", value: lives, unit: "lives/s" });
        tell({
          figure: "share of bare Hono ÷ 4",
          value: (100 * lives) / bare,
          unit: "%",
          target: { atLeast: 30 },
        });
        const boss = await pgBossSingle(await stage.makeDatabase("boss"), options);
        tell({ figure: "pg-boss, one at a time", value: boss, unit: "jobs/s" });
        tell({ figure: "lives ÷ pg-boss", value: lives / boss, unit: "×", target: { atLeast: 5 } });
      },
      { settings: profiledSettings(options) },
    );
  },
};

async function measureLives(stage: Stage, options: BenchOptions, tell: Tell): Promise<number> {
  const { db, postgresPid } = stage;
  const fleet = await givenFleet(db, clientCount, 10);
  const broker = await stage.startBroker(profiledBroker(options));
  const connections = await openConnections(broker.url, clientCount);
  const clients = connections.flatMap((connection, at) => {
    const agent = fleet.agents[at];
    return agent === undefined ? [] : [{ connection, agent, adminToken: fleet.adminToken }];
  });
  await runClients(clients, options.warmUpS, liveOnce);
  await resetProfile(db, options);
  const pids = { broker: broker.pid, Postgres: postgresPid, "load generator": process.pid };
  const before = Object.values(pids).map(cpuOf);
  const { count, seconds } = await runClients(clients, options.seconds, liveOnce);
  for (const [at, [name, pid]] of Object.entries(pids).entries()) {
    const used = cpuOf(pid) - (before[at] ?? 0);
    tell({ figure: `CPU a life, ${name}`, value: (used / count) * 1e6, unit: "µs" });
  }
  await writeProfile(db, options, "lives-single");
  for (const { close } of connections) close();
  await broker.stop();
  return count / seconds;
}
