import { describe, expect, test } from "vitest";
import type { Workspace } from "../../../shared/api/terraform-workspaces.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { untilOneWaits } from "../../support/database/until-one-waits.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenApply } from "../../support/workspaces/given-apply.ts";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

describe("a workspace whose apply ends without a word while it holds the lock", () => {
  test("is blocked in the same instant when its process is lost, and says which job to look into", async () => {
    const { at, id, jobId, path, read, events, jobStatus, own, lock } = await givenApply();
    await advanceClock(at.db, "5 minutes 1 second");
    await expect.poll(jobStatus).toBe("failed");
    const { block, lock: held } = await read();
    expect(block).toMatchObject({ kind: "lost", runner_job_id: jobId, blocked_by_id: "broker" });
    expect(block?.reason).toContain(`${jobId} ended without a result while it held the lock`);
    expect(held).toMatchObject({ runner_job_id: jobId, runner_job_status: "failed" });
    expect(await events()).toMatchObject([
      { kind: "blocked", actor_id: "broker", info: { kind: "lost", runner_job_id: jobId } },
    ]);
    const refused = await at.call(`POST ${path}/lock`, { body: terraformLock() });
    expect(refused).toMatchObject({ status: 423, body: { code: "workspace_blocked", Path: id } });
    expect(refused.body["ID"]).toContain(`svc workspace unblock ${id} --reason`);
    // Who holds it may be alive: what it has to save is taken, and who plans without a lock reads.
    const save = { ...own, body: stateText({ serial: 1 }) };
    expect((await at.call(`POST ${backendPath(id, lock.ID)}`, save)).status).toBe(200);
    expect((await at.call(`POST ${path}/unlock`, { ...own, body: lock })).status).toBe(200);
    expect((await at.call(`GET ${backendPath(id)}`)).status).toBe(200);
    expect((await at.call(`POST ${path}/lock`, { body: lock })).status).toBe(423);
    await at.call(`POST ${path}/unblock`, { body: { reason: "nothing was half done" } });
    expect((await at.call(`POST ${path}/lock`, { body: lock })).status).toBe(200);
    expect((await events())[1]).toMatchObject({
      kind: "unblocked",
      reason: "nothing was half done",
    });
  });

  test("is blocked when the job is to be tried again, and when its time is over", async () => {
    const retried = await givenApply({ job: { max_executions: 2 } });
    await advanceClock(retried.at.db, "5 minutes 1 second");
    await expect.poll(async () => (await retried.read()).block?.kind).toBe("lost");
    expect(await retried.jobStatus()).toBe("queued");
    const late = await givenApply({ job: { execution_timeout: "2m" } });
    await advanceClock(late.at.db, "2 minutes 1 second");
    await expect.poll(late.jobStatus).toBe("timed-out");
    expect((await late.read()).block).toMatchObject({ kind: "timed_out" });
  });

  test("is not blocked when it was cancelled and stops, but when nobody ever says that it did", async () => {
    const { at, jobId, read } = await givenApply();
    await at.call(`POST /v1/runner-jobs/${jobId}/cancel`);
    expect((await read()).block).toBeNull();
    await advanceClock(at.db, "2 hours");
    await expect
      .poll(async () => (await read()).block)
      .toMatchObject({
        kind: "cancelled",
        runner_job_id: jobId,
      });
  });

  test("is not blocked when it held nothing, or only planned", async () => {
    const calm = [
      await givenApply({ locks: false }),
      await givenApply({ job: { operation: "create-apply-plan" } }),
    ];
    for (const one of calm) {
      await advanceClock(one.at.db, "5 minutes 1 second");
      await expect.poll(one.jobStatus).toBe("failed");
      expect((await one.read()).block).toBeNull();
    }
  });
});

describe("a result that says its state was not saved, or that its terraform was killed or stopped half-way", () => {
  test.each(["state_push_failed", "killed_dirty", "interrupted"])(
    "blocks the workspace: %s",
    async (kind) => {
      const { jobId, read, fail } = await givenApply({ locks: false });
      expect((await fail({ class: kind, message: "connection refused" })).status).toBe(200);
      const { block } = await read();
      expect(block).toMatchObject({ kind, runner_job_id: jobId });
      expect(block?.reason).toContain(`${jobId} `);
      expect(block?.reason).toContain("connection refused");
    },
  );

  test("blocks nothing under another class, and never what another org has", async () => {
    const { read, fail } = await givenApply({ locks: false });
    await fail({ class: "quota", message: "no more" });
    expect((await read()).block).toBeNull();
    const at = await givenOperator();
    const foreign = await givenWorkspace(at);
    const orgId = await givenOrg(at.db);
    const token = await givenToken(at.db, { orgId, role: "org_admin" });
    const stranger = { ...at, orgId, token, call: withToken(at, token) };
    const runnerId = (await createRunner(stranger)).id;
    const job = await givenStateJob(stranger, foreign, { runnerId });
    await at.call(`POST /v1/runner-jobs/${job.jobId}/executions/${job.executionId}/finish`, {
      token: job.token,
      body: {
        status: "failed",
        result: { success: false, error_metadata: { class: "killed_dirty" } },
      },
    });
    const { body } = await at.call<Workspace>(`GET /v1/terraform-workspaces/${foreign}`);
    expect(body.block).toBeNull();
  });

  test("leaves a block that stands as it is, and is written down beside it", async () => {
    const { at, path, read, events, fail } = await givenApply();
    const reason = "moving it";
    await at.call(`POST ${path}/block`, { body: { reason } });
    await fail({ class: "killed_dirty", message: "SIGKILL" });
    expect((await read()).block).toMatchObject({ reason, kind: "by_hand" });
    expect((await events()).map(({ actor_id: by }) => by)[0]).toBe("broker");
  });
});

type At = Awaited<ReturnType<typeof givenOperator>>;
const withToken =
  (at: At, token: string): At["call"] =>
  (what, call) =>
    at.broker.call(what, { token, ...call });

async function createRunner(at: At): Promise<{ id: string }> {
  const group = await at.call<{ id: string }>("POST /v1/runner-groups", {
    body: { type: "install", platform: "aws" },
  });
  const body = { name: "stranger", runner_group_id: group.body.id };
  return (await at.call<{ id: string }>("POST /v1/runners", { body })).body;
}

describe("a job's own block", () => {
  const block = { reason: "SIGKILL while it changed things", kind: "killed_dirty" };

  test("has the word and the job that said it, also just after the job's end", async () => {
    const { at, jobId, path, read, fail, own, runnerToken } = await givenApply({ locks: false });
    await fail({ message: "killed" });
    for (const token of [own.token, runnerToken]) {
      expect((await at.call(`POST ${path}/block`, { token, body: block })).status).toBe(200);
      expect((await read()).block).toMatchObject({ ...block, runner_job_id: jobId });
    }
    const wrong = await at.call(`POST ${path}/block`, { ...own, body: { ...block, kind: "No" } });
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/kind" }] } });
    const longTexts = await at.call(`POST ${path}/unblock`, { ...own, body: { reason: "mine" } });
    expect(longTexts.status).toBe(403);
  });

  test("never takes the place of one that stands, and is written down beside it", async () => {
    const { at, jobId, path, read, events, own, runnerToken } = await givenApply();
    const freeze = { reason: "frozen for the audit" };
    await at.call(`POST ${path}/block`, { body: freeze });
    for (const token of [own.token, runnerToken]) {
      const answer = await at.call(`POST ${path}/block`, { token, body: block });
      expect(answer).toMatchObject({ status: 200, body: { block: freeze } });
    }
    expect((await read()).block).toMatchObject({ ...freeze, kind: "by_hand", runner_job_id: null });
    const ofJob = async () =>
      (await events()).filter(({ info }) => info["runner_job_id"] === jobId).length;
    expect(await ofJob()).toBe(1); // the same is written down once, whoever of the job's says it
    for (let nth = 0; nth < 21; nth++) {
      const said = { ...own, body: { reason: `for the ${nth}th time` } };
      expect((await at.call(`POST ${path}/block`, said)).status).toBe(200);
    }
    expect(await ofJob()).toBe(20);
    const again = { reason: "frozen for longer" };
    await at.call(`POST ${path}/block`, { body: again });
    expect((await read()).block).toMatchObject(again);
  });

  test("reaches no workspace that its plan does not name, nor that of a job that ended long ago", async () => {
    const { at, path, own, runnerToken, fail } = await givenApply();
    const other = await givenWorkspace(at);
    const elsewhere = `POST /v1/terraform-workspaces/${other}/block`;
    expect((await at.call(elsewhere, { ...own, body: block })).status).toBe(404);
    const stranger = await givenToken(at.db, {
      orgId: await givenOrg(at.db),
      role: "org_admin",
    });
    const blocked = await at.call(`POST ${path}/block`, { token: stranger, body: block });
    expect(blocked.status).toBe(404);
    await fail({ message: "killed" });
    await advanceClock(at.db, "11 minutes");
    const late = await at.call(`POST ${path}/block`, { token: runnerToken, body: block });
    expect(late.status).toBe(404);
  });
});

test("a block that comes while a lock is taken lets that lock stand and no other, over two brokers", async () => {
  const { url, db } = await testDatabase();
  const at = await givenOperator("org_admin", { url, db });
  const second = await startBroker({ url });
  const id = await givenWorkspace(at);
  const path = `/v1/terraform-workspaces/${id}`;
  const locking = await db.reserve();
  const [lock, later] = [terraformLock(), terraformLock()];
  await locking`begin`;
  await locking`
    select lock_workspace(jsonb_populate_record(null::terraform_workspace_locks, ${JSON.stringify({
      workspace_id: id,
      org_id: at.orgId,
      id: `tfl_${"0".repeat(26)}`,
      lock_id: lock.ID,
      info: lock,
      created_by_id: "tok_1",
    })}::text::jsonb), true)`;
  const { token } = at;
  const blocking = second.call(`POST ${path}/block`, { token, body: { reason: "look" } });
  await untilOneWaits(db);
  await locking`commit`;
  locking.release();
  expect((await blocking).status).toBe(200);
  const answers = await Promise.all(
    [at.broker, second].flatMap(({ call }) =>
      [lock, later].map((body) => call(`POST ${path}/lock`, { token, body })),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 423, 200, 423]);
  expect((await at.call<Workspace>(`GET ${path}`)).body).toMatchObject({
    block: { reason: "look" },
    lock: { lock: { id: lock.ID } },
  });
});
