import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenInstall, givenWorkflowsApi, stepIn } from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi({
  env: { SVC_PUBLIC_URL: "https://svc.example.com" },
});

type Plan = { readonly builtin_env_vars: Readonly<Record<string, string>> };

/** A run whose job is held by its agent, and its token. */
async function givenHeldRun() {
  const org = await setup();
  const { installId, agent } = await givenInstall(org, {
    ends: (plan) => (plan.includes("echo Hello") ? "held" : "finished"),
  });
  const { body } = await org.run(installId, "greet");
  await expect.poll(() => agent.held.length).toBe(1);
  const [claimed] = agent.held;
  if (claimed === undefined) throw new Error("nothing is held");
  const env = (claimed.plan as Plan).builtin_env_vars;
  const token = env["SVC_API_TOKEN"] ?? "";
  const as = <Body>(what: string, body?: unknown) =>
    call<Body & { code: string }>(what, { token, ...(body !== undefined && { body }) });
  return { org, installId, agent, claimed, env, token, as, workflowId: body.workflow_id };
}

describe("the token of an action's run", () => {
  test("reads the run's install, until the job has ended", async () => {
    const { org, installId, agent, claimed, env, as, workflowId } = await givenHeldRun();
    expect(env).toMatchObject({
      SVC_ORG_ID: org.orgId,
      SVC_APP_ID: org.appId,
      SVC_INSTALL_ID: installId,
      SVC_API_URL: "https://svc.example.com",
    });
    expect(env["SVC_API_TOKEN"]).toMatch(/^svc_run_\w{62}$/);
    const install = await as<Install>(`GET /v1/installs/${installId}`);
    expect(install).toMatchObject({ status: 200, body: { id: installId } });
    expect((await as(`GET /v1/installs/${installId}/state`)).status).toBe(200);
    await agent.end(claimed, "finished");
    await org.reach(workflowId, "success");
    await expect.poll(async () => (await as(`GET /v1/installs/${installId}`)).status).toBe(401);
  });

  test("does nothing else, there or elsewhere", async () => {
    const { org, installId, agent, claimed, as } = await givenHeldRun();
    const other = await org.create({ name: "other", start: false });
    expect((await as(`GET /v1/installs/${other.body.id}`)).status).toBe(404);
    const stranger = await setup();
    const foreign = await stranger.create({ start: false });
    expect((await as(`GET /v1/installs/${foreign.body.id}`)).status).toBe(404);
    expect((await as("GET /v1/installs")).status).toBe(200);
    const listed = await as<Install[]>("GET /v1/installs");
    expect(listed.body.map(({ id }) => id)).toEqual([installId]);
    for (const what of [
      `PATCH /v1/installs/${installId}`,
      `POST /v1/installs/${installId}/actions/runs`,
      `POST /v1/installs/${installId}/deprovision`,
      "POST /v1/tokens",
      "GET /v1/tokens",
      `GET /v1/apps/${org.appId}`,
      "GET /v1/workflows",
    ])
      expect([what, (await as(what, what.startsWith("GET") ? undefined : {})).status]).toEqual([
        what,
        403,
      ]);
    await agent.end(claimed, "finished");
  });

  test("is over when a clock ends the job, though its agent says nothing", async () => {
    const { installId, claimed, as } = await givenHeldRun();
    expect((await as(`GET /v1/installs/${installId}`)).status).toBe(200);
    await advanceClock(db, "2 hours");
    await expect.poll(async () => (await as(`GET /v1/installs/${installId}`)).status).toBe(401);
    expect(claimed.job.id).toMatch(/^job_/);
  });

  test("is shown to nobody, and is no part of what is approved", async () => {
    const org = await setup();
    const { installId, agent } = await givenInstall(org, {
      ends: (plan) => (plan.includes('"careful"') ? "held" : "finished"),
    });
    const { body } = await org.run(installId, "careful");
    const step = stepIn(
      await org.reach(body.workflow_id, "approval-awaiting"),
      "approval-awaiting",
    );
    const path = `/v1/workflows/${step.workflow_id}/steps/${step.id}/approvals/${step.approval?.id ?? ""}`;
    const contents = await org.api(`GET ${path}/contents`);
    expect(JSON.stringify(contents.body)).not.toContain("svc_run_");
    await org.respond(step, { response_type: "approve", plan_digest: step.approval?.plan_digest });
    await expect.poll(() => agent.held.length).toBe(1);
    const [claimed] = agent.held;
    if (claimed === undefined) throw new Error("nothing is held");
    expect((claimed.plan as Plan).builtin_env_vars["SVC_API_TOKEN"]).toMatch(/^svc_run_/);
    const asked = { name: "reader", kind: "sa", role: "org_read_only", grants: ["plans.read"] };
    const reader = await org.api<{ secret: string }>("POST /v1/tokens", asked);
    const masked = await call(`GET /v1/runner-jobs/${claimed.job.id}/plan`, {
      token: reader.body.secret,
    });
    const whole = await org.api(`GET /v1/workflows/${body.workflow_id}`);
    const run = await org.api(`GET /v1/installs/${installId}/actions/runs/${body.id}`);
    expect(JSON.stringify([whole.body, run.body, masked.body])).not.toMatch(
      /svc_run_|token_digest/,
    );
    expect(masked.status).toBe(200);
    await agent.end(claimed, "finished");
    await org.reach(body.workflow_id, "success");
  });
});
