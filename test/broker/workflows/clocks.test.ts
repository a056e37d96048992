import { expect, test } from "vitest";
import { advanceClock } from "../../support/database/clock.ts";
import { givenProcess } from "../../support/rows/given.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  stepIn,
  stepsOf,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

test("an approval that nobody answers for 30 days expires, and ends its workflow", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const { body } = await org.run(installId, "careful");
  const asked = stepIn(await org.reach(body.workflow_id, "approval-awaiting"), "approval-awaiting");
  await advanceClock(db, "29 days");
  expect((await org.read(body.workflow_id)).body.status.status).toBe("approval-awaiting");
  await advanceClock(db, "25 hours");
  const ended = await org.reach(body.workflow_id, "error");
  expect(stepsOf(ended).slice(1)).toEqual([
    "approve careful: approval-expired",
    "careful action run (manual): discarded",
  ]);
  expect(ended.composite_error).toMatchObject({ code: "approval_expired", step_id: asked.id });
  const late = await org.respond(asked, { response_type: "approve" });
  expect([late.status, late.body.code]).toEqual([409, "approval_expired"]);
  const told = await db<{ transition: string }[]>`
    select transition from events where step_id = ${asked.id} order by seq`;
  expect(told.map(({ transition }) => transition)).toEqual(["started", "requested", "failed"]);
});

test("a workflow may approve all just after an approval's deadline: that one expires all the same", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const id = (await org.run(installId, "careful")).body.workflow_id;
  const asked = stepIn(await org.reach(id, "approval-awaiting"), "approval-awaiting");
  await db`update workflow_steps set deadline_at = svc_now() - interval '1 ms' where id = ${asked.id}`;
  const changed = await org.api(`PATCH /v1/workflows/${id}`, { approval_option: "approve-all" });
  expect(changed).toMatchObject({ status: 200, body: { approval_option: "approve-all" } });
  expect(stepsOf(await org.reach(id, "error")).slice(1)).toEqual([
    "approve careful: approval-expired",
    "careful action run (manual): discarded",
  ]);
});

test("a runner is waited for for 30 days in a provision, which somebody is to start; for an hour in a later change", async () => {
  const org = await setup({ "metadata.toml": { name: "shop" } });
  const { body: install } = await org.create({ inputs: {} });
  const provision = install.workflow_id ?? "";
  await org.reach(provision, "in-progress");
  await advanceClock(db, "29 days");
  expect((await org.read(provision)).body.status.status).toBe("in-progress");
  await advanceClock(db, "25 hours");
  const skip = async (id: string) => {
    const failed = stepIn(await org.reach(id, "failed-pending-retry"), "failed-pending-retry");
    expect(failed.composite_error).toMatchObject({ code: "runner_unavailable", retryable: true });
    await org.api(`POST /v1/workflows/${id}/steps/${failed.id}/skip`);
    return await org.reach(id, "success");
  };
  await skip(provision);
  const { body } = await org.api<{ workflow_id: string }>(
    `POST /v1/installs/${install.id}/reprovision`,
    {},
  );
  await org.reach(body.workflow_id, "in-progress");
  await advanceClock(db, "61 minutes");
  const failed = await org.reach(body.workflow_id, "failed-pending-retry");
  const step = stepIn(failed, "failed-pending-retry");
  const [runner] = await db<{ runner_id: string; group_id: string }[]>`
    select runner_id, runner_group_id as group_id from installs where id = ${install.id}`;
  if (runner === undefined) throw new Error("the install has no runner");
  await givenProcess(db, {
    orgId: org.orgId,
    runnerId: runner.runner_id,
    groupId: runner.group_id,
  });
  await org.api(`POST /v1/workflows/${body.workflow_id}/steps/${step.id}/retry`);
  await org.reach(body.workflow_id, "success");
});
