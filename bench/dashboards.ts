import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../broker/database/connect.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { type Browsing, signInToBrowse } from "./support/browse.ts";
import { quantile } from "./support/figures.ts";
import { fillEndedJobs, fillLiveJobs } from "./support/fill-jobs.ts";
import { fillRollups, fillRunners } from "./support/fill-stats.ts";
import { type Fleet, givenFleet } from "./support/given-fleet.ts";
import { cpuSeconds } from "./support/process-cpu.ts";
import { withStage } from "./support/stage.ts";

const wholeJobs = 1_000_000;
const runners = 2_000;
const atRest = 1_000;
const watching = 100;
const restS = 60;
/** As the page's script waits. */
const againMs = 1000;

/** What open overviews cost a broker: a thousand while nothing changes, and a hundred while a job is enqueued each second. */
export const dashboards: Bench = {
  what: "a thousand open dashboards at rest; a hundred while something changes each second",
  run: async ({ scale, seconds }, tell) => {
    let fleet: Fleet | undefined;
    const fill = async (db: Db): Promise<void> => {
      fleet = await givenFleet(db, runners, 2);
      const { orgId, agents } = fleet;
      const runnerIds = agents.map(({ runnerId }) => runnerId);
      const count = Math.round((wholeJobs * scale) / 2);
      await fillRunners(db, orgId);
      await fillEndedJobs(db, { orgId, runnerIds, count });
      await fillLiveJobs(db, { orgId, runnerIds, count, first: count + 1 });
      await fillRollups(db, orgId);
    };
    await withStage(
      async ({ startBroker, postgresPid }) => {
        if (fleet === undefined) throw new Error("the database was not filled");
        const broker = await startBroker({
          SVC_MAX_FOLLOWERS_PER_TOKEN: "10000",
          SVC_MAX_FOLLOWERS_PER_ORG: "10000",
        });
        const pids = { broker: broker.pid, postgres: postgresPid };
        await tellDashboards({ url: broker.url, pids, fleet }, { seconds, tell });
        await broker.stop();
      },
      { fill },
    );
  },
};

type Served = {
  readonly url: string;
  readonly pids: Readonly<Record<"broker" | "postgres", number>>;
  readonly fleet: Fleet;
};

export async function tellDashboards(
  { url, pids, fleet }: Served,
  { seconds, tell }: { readonly seconds: number; readonly tell: Tell },
): Promise<void> {
  const browsing = await signInToBrowse(url, fleet.adminToken);
  await browsing.load("/");
  const alone = await shareOf(pids, restS, idle);
  const many = await openMany(browsing, atRest);
  await sleep(restS * 1000); // from then on each is told once a minute
  many.forget();
  const rest = await shareOf(pids, restS, idle);
  many.close();
  tell({
    figure: `${atRest.toLocaleString("en")} open dashboards at rest`,
    value: rest.broker,
    unit: "% of a core",
    target: { atMost: 10 },
    note: `Postgres ${rest.postgres.toFixed(1)} %; without them ${alone.broker.toFixed(1)} and ${alone.postgres.toFixed(1)} %; ${many.said()} in ${restS} s`,
  });

  const few = await openMany(browsing, watching);
  const busyS = Math.max(seconds, 15);
  const busy = await shareOf(pids, busyS, () => enqueueEachSecond(url, fleet, busyS));
  few.close();
  tell({
    figure: `${watching} open dashboards, a job enqueued each second`,
    value: busy.broker,
    unit: "% of a core",
    note: `Postgres ${busy.postgres.toFixed(1)} %; ${few.said()} in ${busyS} s`,
  });
}

/** Opens so many, each of which asks for its page anew when it is told to, and rests as the page's script does. */
async function openMany({ listen, loadPart }: Browsing, count: number) {
  const closers: (() => void)[] = [];
  const took: number[] = [];
  let hints = 0;
  const open = async (): Promise<() => void> => {
    let isBusy = false;
    let isStale = false;
    const ask = async (): Promise<void> => {
      isStale = true;
      if (isBusy) return;
      isBusy = true;
      while (isStale) {
        isStale = false;
        const startedAtMs = performance.now();
        await loadPart("/");
        took.push(performance.now() - startedAtMs);
        await sleep(againMs);
      }
      isBusy = false;
    };
    return await listen("/live?topic=jobs&topic=minute", () => {
      hints += 1;
      void ask();
    });
  };
  while (closers.length < count) {
    const wanted = Math.min(50, count - closers.length);
    closers.push(...(await Promise.all(Array.from({ length: wanted }, open))));
  }
  return {
    close: () => {
      for (const close of closers) close();
    },
    forget: () => {
      hints = 0;
      took.length = 0;
    },
    said: () =>
      `${hints} hints, ${took.length} answers, p50 ${quantile(took, 0.5).toFixed(0)}, p95 ${quantile(took, 0.95).toFixed(0)} ms,`,
  };
}

async function enqueueEachSecond(
  url: string,
  { adminToken, agents }: Fleet,
  seconds: number,
): Promise<void> {
  for (let count = 0; count < seconds; count++) {
    const answer = await fetch(`${url}/v1/runners/${agents[0]?.runnerId}/jobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({
        type: "noop",
        operation: "exec",
        owner_id: "one",
        owner_type: "test",
      }),
    });
    if (answer.status !== 201) throw new Error(`a job was answered ${answer.status}`);
    await answer.arrayBuffer();
    await sleep(1000);
  }
}

const idle = async (seconds: number): Promise<void> => sleep(seconds * 1000);

/** What each process used of a core meanwhile, in per cent. */
async function shareOf(
  pids: Served["pids"],
  seconds: number,
  act: (seconds: number) => Promise<void>,
): Promise<Record<keyof Served["pids"], number>> {
  const before = { broker: cpuSeconds(pids.broker), postgres: cpuSeconds(pids.postgres) };
  const startedAtMs = performance.now();
  await act(seconds);
  const tookS = (performance.now() - startedAtMs) / 1000;
  const share = (name: keyof typeof pids): number =>
    ((cpuSeconds(pids[name]) - before[name]) / tookS) * 100;
  return { broker: share("broker"), postgres: share("postgres") };
}
