import { expect, test } from "vitest";
import { sweepNames } from "../../../broker/clocks/sweep.ts";
import { connect, type Db } from "../../../broker/database/connect.ts";
import { newId, newRandomId } from "../../../broker/database/new-id.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import {
  beat,
  claim,
  type GivenExecution,
  type GivenRunner,
  givenJobs,
  givenOrg,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

const serves = { deploy: 4, sync: 3, sandbox: 2 };
const groups = ["deploy", "sync", "sandbox"] as const;
const types = ["noop-deploy", "noop-sync", "sandbox-terraform"] as const;
const ends = ["finished", "failed", "timed-out", "cancelled", "not-attempted"] as const;

const some = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error("there is none");
  return item;
};
const chance = (share: number): boolean => Math.random() < share;

type Scene = {
  readonly db: Db;
  readonly runners: readonly GivenRunner[];
  readonly processes: Map<string, GivenRunner>;
  readonly held: (GivenExecution & { runner: GivenRunner; processId: string })[];
};

/** Everything that anybody does to queues, many rows at a time where brokers gather them so. */
const deeds: Record<string, (scene: Scene) => Promise<unknown>> = {
  enqueue: async ({ db, runners }) =>
    givenJobs(
      db,
      some(runners),
      Array.from({ length: 1 + Math.floor(Math.random() * 6) }, () => ({
        type: some(types),
        availableTimeout: 1e9,
        queueTimeout: 1e9,
        executionTimeout: 3e9,
        maxExecutions: 3,
      })),
    ),
  claim: async ({ db, processes, held }) => {
    const [processId, runner] = some([...processes]);
    const claimed = await claim(db, runner, { processId, group: some(groups), want: 3 });
    held.push(...claimed.map((one) => ({ ...one, runner, processId })));
  },
  step: async ({ db, held }) => {
    const { executionId, runner } = some(held.slice(-30));
    await report(db, runner, { executionId, status: some(["initializing", "in-progress"]) });
  },
  finish: async ({ db, held }) => {
    const { executionId, runner } = some(held.slice(-30)); // most of them still run
    await report(db, runner, { executionId, status: some(ends), result: { success: true } });
  },
  giveBack: async ({ db, held }) => {
    const { executionId, runner } = some(held);
    await report(db, runner, { executionId, giveBack: true });
  },
  cancel: async ({ db, held }) => {
    const recent = held.slice(-30);
    const jobs = [some(recent), some(recent), some(recent)];
    const ids = jobs.map(({ jobId }) => jobId);
    await db`select * from end_jobs(${jobs[0]?.runner.orgId ?? ""}, ${ids}, 'cancel', 'x')`;
  },
  flush: async ({ db, runners }) => {
    if (chance(0.5)) return;
    const { orgId, runnerId } = some(runners);
    await db`select * from flush_queues(${orgId}, ${runnerId}, ${chance(0.5) ? "deploy" : null}, ${chance(0.2)}, 'x')`;
  },
  settings: async ({ db, runners }) => {
    const { orgId, groupId } = some(runners);
    const next = {
      groups: [],
      job_group_parallelism: { deploy: some(["0", "1", "5"]), sync: some(["1", "3"]) },
      job_group_max_depth: 10_000,
      heart_beat_timeout: 5e9,
      sandbox_mode: false,
      document: {},
    };
    await db`
      select write_runner_settings(${orgId}, ${groupId}, s.version, ${db.json(next)})
        from runner_group_settings s where s.runner_group_id = ${groupId}`;
  },
  pause: async ({ db, runners }) => {
    const { orgId, groupId, runnerId } = some(runners);
    const pause = chance(0.5) ? { lasting: 50_000_000 } : null;
    await db`
      select set_pause(${orgId}, ${some([groupId, runnerId])}, ${pause && db.json(pause)}::jsonb, '', 'x')`;
  },
  lifecycle: async ({ db, runners }) => {
    const { orgId, runnerId } = some(runners);
    for (const wanted of [chance(0.05) ? "deprovisioned" : "disabled", "enabled"]) {
      await db`select set_runner_lifecycle(${orgId}, ${runnerId}, ${wanted}, ${newId("rop")}, 'x')`;
    }
  },
  beat: async ({ db, processes, held }) => {
    const ids = [...processes.keys()].filter(() => chance(0.5));
    if (ids.length > 0) await beat(db, ids);
    const [id] = ids;
    if (id !== undefined)
      await beat(db, [id], held.filter(({ processId }) => processId === id).slice(0, 3));
  },
  replace: async ({ db, processes, held }) => {
    const [old, runner] = some([...processes]);
    const heir = newRandomId("prc");
    if (chance(0.5)) {
      await db`select process_goes_down(${old}, 'shut-down', '')`;
      processes.set(await givenProcess(db, runner, { serves }), runner);
      processes.delete(old);
      return;
    }
    await db`update runner_processes set secret_digest = '\\x01' where id = ${old}`;
    await db`select register_process(${runner.orgId}, ${runner.runnerId}, ${heir}, 'install', '1', true,
                                     ${db.json(serves)}::jsonb, null, ${old}, '\\x01')`;
    processes.set(heir, runner);
    processes.delete(old);
    for (const one of held) if (one.processId === old) one.processId = heir;
  },
  shutDown: async ({ db, processes }) => {
    const [id, runner] = some([...processes]);
    if (processes.size > 6) processes.delete(id);
    if (processes.size < 9) processes.set(await givenProcess(db, runner, { serves }), runner);
    await db`
      select * from request_shutdowns(${[id]}, ${[newId("shd")]}, ${some(["graceful", "force"])}, '100 ms', 'x')`;
  },
  sweep: async ({ db }) => {
    const name = some(sweepNames);
    await db`select * from ${db(name)}(${some([3, 500])}::int)`;
  },
};

test("everything that anybody does, all at once: no two wait for each other, and nothing is miscounted", async () => {
  const { url, db: watching } = await testDatabase();
  const db = connect(url, { max: 16 });
  const orgId = await givenOrg(db);
  const runners = [];
  for (let nth = 0; nth < 3; nth += 1) {
    runners.push(await givenRunner(db, { orgId, parallelism: serves }));
  }
  const processes = new Map<string, GivenRunner>();
  for (const runner of runners) {
    for (let nth = 0; nth < 2; nth += 1)
      processes.set(await givenProcess(db, runner, { serves }), runner);
  }
  const scene: Scene = { db, runners, processes, held: [] };
  for (const runner of runners) await givenJobs(db, runner, [{}, {}, {}]);
  while (scene.held.length < 3) await deeds["claim"]?.(scene);

  const failures: string[] = [];
  const endAt = performance.now() + 6_000;
  const often = ["enqueue", "claim", "claim", "step", "finish", "finish", "beat", "sweep"];
  const names = [...Object.keys(deeds), ...Array.from({ length: 10 }, () => often).flat()];
  await Promise.all(
    Array.from({ length: 14 }, async () => {
      while (performance.now() < endAt) {
        const name = some(names);
        await deeds[name]?.(scene).catch(
          (error: unknown) => void failures.push(`${name}: ${String(error)}`),
        );
      }
    }),
  );
  const unexpected = failures.filter((words) => !/answered runner-|version|draining/.test(words));
  expect([...new Set(unexpected)]).toEqual([]);
  await expectSoundQueues(watching);
  await db.end({ timeout: 1 });
});
