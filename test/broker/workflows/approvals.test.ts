import { describe, expect, test } from "vitest";
import { listPendingApprovals } from "../../../broker/workflows/show-workflow.ts";
import type { WholeActionRun } from "../../../shared/api/actions.ts";
import type { AuditEventBody } from "../../../shared/api/audit.ts";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { countedStatements } from "../../support/database/counted-statements.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  stepIn,
  stepsOf,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({ brokers: 2 });

describe("an approval", () => {
  const given = async () => {
    const org = await setup();
    const inputs = { audience: "world", secret: "s3cr3t-value" };
    const { installId, agent } = await givenInstall(org, { inputs });
    const { body } = await org.run(installId, "careful");
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    return {
      ...org,
      begin: org.run,
      installId,
      agent,
      run: body,
      step: stepIn(waiting, "approval-awaiting"),
    };
  };

  test("that is answered is told with its answer as the target, as are new inputs and secrets", async () => {
    const { api, step, respond, appId, installId } = await given();
    const answer = await respond(step, { response_type: "deny" });
    const inputs = await api<{ id: string }>(`POST /v1/installs/${installId}/inputs`, {
      inputs: { audience: "moon" },
    });
    const secret = await api<{ id: string }>(`POST /v1/apps/${appId}/secrets`, {
      name: "key",
      value: "s3cr3t",
    });
    const told = async (id: string) =>
      (await api<{ items: AuditEventBody[] }>(`GET /v1/audit?target_id=${id}`)).body.items;
    for (const [id, target_type, parent_id] of [
      [answer.body.id, "approval_response", step.approval?.id],
      [inputs.body.id, "install_inputs", installId],
      [secret.body.id, "secret", appId],
    ] as const)
      expect(await told(id)).toMatchObject([
        { target_type, target_id: id, parent_id, status: 201 },
      ]);
  });

  test("shows what is about to be run, without secrets; and those very bytes are run", async () => {
    const { api, step, respond, reach, run, agent, installId } = await given();
    const at = `/v1/workflows/${run.workflow_id}/steps/${step.id}/approvals/${step.approval?.id ?? ""}`;
    const contents = JSON.stringify((await api(`GET ${at}/contents`)).body);
    expect(contents).toContain("echo world (secret)");
    expect(contents).not.toContain("s3cr3t");
    expect(contents).toContain('"secrets":["(secret)"]');
    // The inputs change meanwhile: what was approved is run all the same.
    await api(`PATCH /v1/installs/${installId}/inputs`, { inputs: { audience: "moon" } });
    const digest = step.approval?.plan_digest;
    expect(
      await respond(step, { response_type: "approve", plan_digest: "0".repeat(64) }),
    ).toMatchObject({
      status: 412,
    });
    expect(await respond(step, { response_type: "approve", plan_digest: digest })).toMatchObject({
      status: 201,
      body: { outcome: "applied" },
    });
    await reach(run.workflow_id, "success");
    const plan = agent.plans.find((one) => one.includes(run.id)) ?? "";
    expect(plan).toContain("echo world s3cr3t-value");
    const pending = await api<object[]>("GET /v1/workflows/pending-approvals");
    expect(pending.body).toEqual([]);
  });

  test("is listed with others by as many statements as alone", async () => {
    const { orgId, installId, begin, reach, step } = await given();
    const list = async () => {
      const counted = countedStatements(db);
      const page = { after: undefined, limit: 10, offset: 0 };
      const found = await listPendingApprovals(counted.db, orgId, page);
      return { asked: counted.count(), steps: found.map(({ shown }) => shown.workflow_step_id) };
    };
    const alone = await list();
    expect(alone.steps).toEqual([step.id]);
    const { body } = await begin(installId, "careful");
    await reach(body.workflow_id, "approval-awaiting");
    const both = await list();
    expect(both.steps).toHaveLength(2);
    expect(both.asked).toBe(alone.asked);
  });

  test("is answered once, for its own step, by somebody who may", async () => {
    const { api, step, respond, run, brokers } = await given();
    expect((await api<object[]>("GET /v1/workflows/pending-approvals")).body).toMatchObject([
      { workflow_step_id: step.id },
    ]);
    const other = { ...step, id: `stp_${"0".repeat(26)}` };
    expect((await respond(other, { response_type: "approve" })).status).toBe(404);
    const wrong = { ...step, approval: { ...step.approval, id: `apv_${"0".repeat(26)}` } };
    expect((await respond(wrong as typeof step, { response_type: "approve" })).status).toBe(404);
    const answers = await Promise.all(
      ["approve", "deny", "approve", "deny"].map((type) => respond(step, { response_type: type })),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([201, 409, 409, 409]);
    const { token } = await setup();
    const at = `/v1/workflows/${run.workflow_id}/steps/${step.id}/approvals/${step.approval?.id ?? ""}/response`;
    const foreign = await brokers[0]?.call(`POST ${at}`, {
      token,
      body: { response_type: "approve" },
    });
    expect(foreign?.status).toBe(404);
  });

  test("that is denied ends the workflow, or skips the group and goes on", async () => {
    const first = await given();
    await first.respond(first.step, { response_type: "deny", note: "not today" });
    const denied = await first.reach(first.run.workflow_id, "error");
    expect(stepsOf(denied).slice(1)).toEqual([
      "approve careful: approval-denied",
      "careful action run (manual): discarded",
    ]);
    expect(denied.status.status_human_description).toContain("not today");
    const why = { code: "approval_denied", detail: "not today", step_id: first.step.id };
    expect(denied.composite_error).toMatchObject(why);
    expect(stepIn(denied, "approval-denied").composite_error).toMatchObject(why);
    const second = await given();
    await second.respond(second.step, { response_type: "deny-skip-current" });
    const skipped = await second.reach(second.run.workflow_id, "success");
    expect(stepsOf(skipped).slice(1)).toEqual([
      "approve careful: approval-denied",
      "careful action run (manual): user-skipped",
    ]);
    const run = await second.api<WholeActionRun>(
      `GET /v1/installs/${second.installId}/actions/runs/${second.run.id}`,
    );
    expect(run.body.status).toBe("cancelled");
  });

  test("can ask for another plan, which sees what has changed; an old one is made anew", async () => {
    const { api, step, respond, reach, run, installId } = await given();
    await api(`PATCH /v1/installs/${installId}/inputs`, { inputs: { audience: "moon" } });
    expect((await respond(step, { response_type: "retry" })).body.outcome).toBe("replanned");
    await until(async () => {
      const { body } = await api<WholeWorkflow>(`GET /v1/workflows/${run.workflow_id}`);
      return body.steps.some(
        ({ status, retry_index: n }) => n === 1 && status.status === "approval-awaiting",
      );
    });
    await advanceClock(db, "73 hours");
    const again = stepIn(await reach(run.workflow_id, "approval-awaiting"), "approval-awaiting");
    expect((await respond(again, { response_type: "approve" })).body.outcome).toBe("replanned");
    await until(async () => {
      const { body } = await api<WholeWorkflow>(`GET /v1/workflows/${run.workflow_id}`);
      return body.steps.some(
        ({ status, retry_index: n }) => n === 2 && status.status === "approval-awaiting",
      );
    });
    const third = stepIn(await reach(run.workflow_id, "approval-awaiting"), "approval-awaiting");
    const at = `/v1/workflows/${run.workflow_id}/steps/${third.id}/approvals/${third.approval?.id ?? ""}`;
    expect(JSON.stringify((await api(`GET ${at}/contents`)).body)).toContain("echo moon");
  });

  test("of everything also answers what waits now", async () => {
    const { api, reach, run } = await given();
    const patched = await api<WholeWorkflow>(`PATCH /v1/workflows/${run.workflow_id}`, {
      approval_option: "approve-all",
    });
    expect(patched.status).toBe(200);
    await reach(run.workflow_id, "success");
    expect(
      await api(`PATCH /v1/workflows/${run.workflow_id}`, { approval_option: "prompt" }),
    ).toMatchObject({ status: 409, body: { code: "workflow_final" } });
  });
});
