import { expect, test } from "vitest";
import { advanceClock } from "../../support/database/clock.ts";
import { givenApply } from "../../support/workspaces/given-apply.ts";

test("the lock of an apply whose process was lost ends with the block once that has stopped, and not before", async () => {
  const { at, jobId, path, read, events, jobStatus, lock } = await givenApply();
  await advanceClock(at.db, "5 minutes 1 second");
  await expect.poll(jobStatus).toBe("failed");
  const unblock = async () => {
    await at.call(`POST ${path}/unblock`, { body: { reason: "imported" } });
    return await read();
  };
  expect(await unblock()).toMatchObject({ block: null, lock: { runner_job_id: jobId } });
  await advanceClock(at.db, "3 hours"); // nobody ever said that it has stopped
  await expect.poll(async () => (await read()).block?.kind).toBe("lost");
  expect(await unblock()).toMatchObject({ block: null, lock: null });
  expect((await events()).slice(0, 2)).toMatchObject([
    { kind: "unblocked", reason: "imported" },
    { kind: "unlocked", reason: "imported", info: { ID: lock.ID } },
  ]);
});

test("a lock that another took stays where a block is lifted", async () => {
  const { at, jobId, path, read, fail } = await givenApply();
  await at.call(`POST ${path}/block`, { body: { reason: "moving it" } });
  await fail({ class: "killed_dirty", message: "SIGKILL" });
  await at.call(`POST ${path}/unblock`, { body: { reason: "moved" } });
  expect(await read()).toMatchObject({ block: null, lock: { runner_job_id: jobId } });
});
