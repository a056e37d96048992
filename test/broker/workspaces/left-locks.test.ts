import { describe, expect, test } from "vitest";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenApply } from "../../support/workspaces/given-apply.ts";
import { terraformLock } from "../../support/workspaces/given-workspace.ts";

describe("a workspace whose lock is left by an apply that failed", () => {
  test("is blocked, whatever the result says", async () => {
    const { jobId, read, fail } = await givenApply();
    await fail({ class: "quota", message: "no more" });
    const { block } = await read();
    expect(block).toMatchObject({ kind: "left_locked", runner_job_id: jobId });
    expect(block?.reason).toContain("failed and left the lock (no more)");
  });

  test("is blocked, too, when its process is lost after its result", async () => {
    const { at, own, executionPath, read, jobStatus } = await givenApply();
    await at.call(`POST ${executionPath}/result`, {
      ...own,
      body: { success: false, error_metadata: { message: "quota" } },
    });
    await advanceClock(at.db, "5 minutes 1 second");
    await expect.poll(jobStatus).toBe("failed");
    expect((await read()).block).toMatchObject({ kind: "lost" });
  });

  test("is blocked once when the result says why, too", async () => {
    const { read, events, fail } = await givenApply();
    await fail({ class: "killed_dirty", message: "SIGKILL" });
    expect((await read()).block).toMatchObject({ kind: "killed_dirty" });
    expect(await events()).toHaveLength(1);
  });

  test("stays open after a plan that failed, and after an apply that finished", async () => {
    const planned = await givenApply({ job: { operation: "create-apply-plan" } });
    await planned.fail({ class: "quota", message: "no more" });
    expect((await planned.read()).block).toBeNull();
    const { at, own, executionPath, read } = await givenApply();
    await at.call(`POST ${executionPath}/finish`, {
      ...own,
      body: { status: "finished", result: { success: true } },
    });
    expect((await read()).block).toBeNull();
  });
});

describe("the lock that is left by a plan", () => {
  const plans = [
    { operation: "create-apply-plan" },
    { operation: "create-teardown-plan" },
    { type: "sandbox-terraform-plan", operation: "exec", group: "deploy" },
  ];

  test.each(plans)(
    "is free as soon as it has failed, and that is written down: %j",
    async (job) => {
      const { jobId, lock, read, events, fail } = await givenApply({ job });
      expect((await read()).lock).not.toBeNull();
      await fail({ class: "oom", message: "SIGKILL" });
      const { block, lock: held } = await read();
      expect({ block, held }).toEqual({ block: null, held: null });
      const reason = `${jobId} only planned, is over and left the lock`;
      const info = { ID: lock.ID };
      expect(await events()).toMatchObject([
        { kind: "unlocked", actor_id: "broker", reason, info },
      ]);
    },
  );

  test("stays while it is being stopped, and is free when its process has said that it is", async () => {
    const job = { operation: "create-apply-plan" };
    const given = await givenApply({ job });
    const { at, jobId, read, runnerId, runnerToken: token, processId } = given;
    await at.call(`POST /v1/runner-jobs/${jobId}/cancel`);
    expect((await read()).lock).not.toBeNull();
    const body = { process_id: processId, executions: [] };
    await at.call(`POST /v1/runners/${runnerId}/heart-beats`, { token, body });
    await expect.poll(async () => (await read()).lock).toBeNull();
    expect((await read()).block).toBeNull();
  });

  test("is free when its host is gone for good", async () => {
    const { at, read, jobStatus } = await givenApply({ job: { operation: "create-apply-plan" } });
    await advanceClock(at.db, "5 minutes 1 second");
    await expect.poll(jobStatus).toBe("failed");
    expect((await read()).lock).not.toBeNull(); // who was only cut off may still be planning
    await advanceClock(at.db, "2 hours");
    await expect.poll(async () => (await read()).lock).toBeNull();
    expect((await read()).block).toBeNull();
  });

  test("is an exec's, too, as long as it only plans: it blocks nothing, and is free in the end", async () => {
    const given = { job: { operation: "exec" }, locksTo: "OperationTypePlan" };
    const failed = await givenApply(given);
    await failed.fail({ class: "killed", message: "SIGKILL" });
    expect(await failed.read()).toMatchObject({ block: null, lock: null });
    const lost = await givenApply(given);
    await advanceClock(lost.at.db, "5 minutes 1 second");
    await expect.poll(lost.jobStatus).toBe("failed");
    expect((await lost.read()).lock).not.toBeNull(); // who was only cut off may still be planning
    const cancelled = await givenApply(given);
    await cancelled.at.call(`POST /v1/runner-jobs/${cancelled.jobId}/cancel`);
    for (const { at, read } of [lost, cancelled]) {
      await advanceClock(at.db, "2 hours");
      await expect.poll(async () => (await read()).lock).toBeNull();
      expect((await read()).block).toBeNull();
    }
  });

  test("is not an exec's that applies: it blocks the workspace, killed, lost or never heard of again", async () => {
    const given = { job: { operation: "exec" }, locksTo: "OperationTypeApply" };
    const failed = await givenApply(given);
    await failed.fail({ class: "killed", message: "SIGKILL" });
    expect((await failed.read()).block).toMatchObject({ kind: "left_locked" });
    const lost = await givenApply(given);
    await advanceClock(lost.at.db, "5 minutes 1 second");
    await expect.poll(lost.jobStatus).toBe("failed");
    expect((await lost.read()).block).toMatchObject({ kind: "lost" });
    const cancelled = await givenApply(given);
    await cancelled.at.call(`POST /v1/runner-jobs/${cancelled.jobId}/cancel`);
    await advanceClock(cancelled.at.db, "2 hours");
    await expect
      .poll(async () => (await cancelled.read()).block)
      .toMatchObject({ kind: "cancelled" });
    for (const { read } of [failed, lost, cancelled]) expect((await read()).lock).not.toBeNull();
  });

  test("is another's by then, and stays that one's", async () => {
    const { at, path, lock, own, read, fail } = await givenApply({
      job: { operation: "create-apply-plan" },
    });
    await at.call(`POST ${path}/unlock`, { ...own, body: lock });
    const other = terraformLock();
    await at.call(`POST ${path}/lock`, { body: other });
    await fail({ class: "oom", message: "SIGKILL" });
    expect((await read()).lock).toMatchObject({ lock: { id: other.ID } });
  });
});

test("what a lock was taken for is known by its job's operation and type; of an exec, by the lock's word", async () => {
  const { db } = await testDatabase();
  const isPlanLock = async (type: string, operation: string, word?: string): Promise<boolean> => {
    const info = JSON.stringify(word === undefined ? {} : { Operation: word });
    const [row] = await db<{ answer: boolean }[]>`
      select is_plan_lock(${type}, ${operation}, ${info}::text::jsonb) as answer`;
    return row?.answer ?? false;
  };
  const deploy = "terraform-deploy";
  const [plan, apply] = ["OperationTypePlan", "OperationTypeApply"];
  expect(await isPlanLock(deploy, "exec", plan)).toBe(true);
  expect(await isPlanLock(deploy, "exec", apply)).toBe(false);
  expect(await isPlanLock(deploy, "exec", "operationtypeplan")).toBe(false);
  expect(await isPlanLock(deploy, "exec")).toBe(false);
  expect(await isPlanLock(deploy, "apply-plan", plan)).toBe(false); // who applies a plan plans nothing
  expect(await isPlanLock(deploy, "create-apply-plan", apply)).toBe(true);
  expect(await isPlanLock(deploy, "create-teardown-plan", apply)).toBe(true);
  expect(await isPlanLock("sandbox-terraform-plan", "exec", apply)).toBe(true);
});
