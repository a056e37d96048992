import { newRandomId } from "../../../broker/database/new-id.ts";
import { isFinal, type RunnerJobEvent } from "../../../shared/runner-job.ts";
import { advanceClock } from "../database/clock.ts";
import { sweepAll } from "../database/sweep-all.ts";
import { beat, givenProcess } from "../rows/given.ts";
import { type Command, command, dbNow, nothing, pick } from "./job-commands.ts";
import type { Cause, JobModel } from "./job-model.ts";

/** Ends what is not over, by an operator's word. */
async function endBy(
  model: JobModel,
  ids: readonly string[],
  event: RunnerJobEvent,
  act: () => Promise<unknown>,
): Promise<Cause> {
  const open = ids.filter((id) => !isFinal(model.jobs.get(id)?.status ?? "finished"));
  for (const id of open) {
    const execution = model.jobs.get(id)?.execution;
    if (execution) execution.endedBy = "broker";
  }
  await act();
  return { expected: new Map(open.map((id) => [id, event])) };
}

export const cancel = (which: number): Command =>
  command("cancel", async (model, { db, runner }) => {
    const id = pick([...model.jobs.keys()], which);
    if (id === undefined) return nothing;
    return endBy(
      model,
      [id],
      "cancel",
      () => db`select from end_jobs(${runner.orgId}, ${[id]}, 'cancel', '')`,
    );
  });

export const flush = command("flush", async (model, { db, runner }) => {
  const waiting = [...model.jobs.values()].filter(({ execution }) => execution === null);
  const act = () =>
    db`select from flush_queues(${runner.orgId}, ${runner.runnerId}, null, false, '')`;
  return endBy(
    model,
    waiting.map(({ id }) => id),
    "skip",
    act,
  );
});

export const setSlots = (slots: number): Command =>
  command(`parallelism ${slots}`, async (_, { db, runner }) => {
    await db`
      update runner_group_settings set job_group_parallelism = ${db.json({ deploy: String(slots) })}
       where runner_group_id = ${runner.groupId}`;
    await db`select refresh_runners(${[runner.runnerId]})`;
    return nothing;
  });

export const setPaused = (paused: boolean): Command =>
  command(paused ? "pause" : "resume", async (_, { db, runner }) => {
    await db`update runners set paused_at = case when ${paused} then svc_now() end where id = ${runner.runnerId}`;
    await db`select refresh_runners(${[runner.runnerId]})`;
    return nothing;
  });

export const appear = command("a process appears", async (_, { db, runner, alive }) => {
  alive.push(await givenProcess(db, runner, { serves: { deploy: 2 } }));
  return nothing;
});

export const shutDown = (who: number): Command =>
  command("a process shuts down", async (model, { db, alive }) => {
    const [processId] = alive.splice(who % Math.max(1, alive.length), 1);
    if (processId === undefined) return nothing;
    model.lost.add(processId);
    await db`select process_goes_down(${processId}, 'shut-down', '')`;
    return nothing;
  });

/** Time passes; those alive beat on, naming what they hold, and all that is due is acted on. */
export const pass = (seconds: number, silent: number | null): Command =>
  command(
    `${seconds} s pass${silent === null ? "" : ", one falls silent"}`,
    async (model, { db, alive, runner }) => {
      const [gone] = silent === null ? [] : alive.splice(silent % Math.max(1, alive.length), 1);
      if (gone !== undefined) model.lost.add(gone);
      await advanceClock(db, `${gone === undefined ? seconds : seconds + 301} s`);
      for (const processId of alive) {
        const held = model.executions.filter(
          (one) => one.processId === processId && one.endedBy === null,
        );
        const named = held.filter(({ isConfirmed }) => isConfirmed);
        await beat(db, [processId], named);
      }
      const now = await dbNow(db);
      await sweepAll(db);
      await model.follow(db, runner.runnerId, nothing);
      model.expectNothingOverdue(now);
      return nothing;
    },
  );

/** An agent that starts again on the same host: what ran on its old process is its own now. */
export const takeOver = (who: number): Command =>
  command("a process takes over", async (model, { db, alive, runner: { orgId, runnerId } }) => {
    const old = alive.splice(who % Math.max(1, alive.length), 1)[0];
    if (old === undefined) return nothing;
    const heir = newRandomId("prc");
    await db`update runner_processes set secret_digest = '\\x01' where id = ${old}`;
    await db`
      select register_process(${orgId}, ${runnerId}, ${heir}, 'install', '1', true, '{"deploy":2}'::jsonb, null,
                              ${old}, '\\x01')`;
    await beat(db, [heir]);
    alive.push(heir);
    for (const one of model.executions)
      if (one.processId === old && one.endedBy === null) one.processId = heir;
    return nothing;
  });
