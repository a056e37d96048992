import { describe, expect, test } from "vitest";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
  stepIn,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

describe("the value of a sensitive input", () => {
  test("stays hidden in a plan that was made before it was changed", async () => {
    const org = await setup();
    const inputs = { audience: "world", secret: "s3cr3t-value" };
    const { installId } = await givenInstall(org, { inputs });
    const { body } = await org.run(installId, "careful");
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    const step = stepIn(waiting, "approval-awaiting");
    await org.api(`PATCH /v1/installs/${installId}/inputs`, { inputs: { secret: "another-one" } });
    const at = `/v1/workflows/${step.workflow_id}/steps/${step.id}/approvals/${step.approval?.id ?? ""}`;
    const contents = JSON.stringify((await org.api(`GET ${at}/contents`)).body);
    expect(contents).toContain("echo world (secret)");
    expect(contents).not.toContain("s3cr3t");
  });

  test.for([
    { of: "of some letters", secret: "s3cr3t-value" },
    { of: "that is longer than what is told of a fault", secret: `s3cr3t-${"x".repeat(1000)}` },
  ])("$of is in no fault of a template, and in no event", async ({ secret }) => {
    const command = "echo {{ required .svc.inputs.inputs.secret .svc.inputs.inputs.size }}";
    const leak = { name: "leak", steps: [{ name: "run", command }] };
    const org = await setup({ ...shopConfig, actions: { "leak.toml": leak } });
    const { installId } = await givenInstall(org, { inputs: { audience: "world", secret } });
    const { body } = await org.run(installId, "leak");
    const stalled = await org.reach(body.workflow_id, "failed-pending-retry");
    expect(stalled.composite_error).toMatchObject({ code: "render_failed" });
    expect(stalled.composite_error?.detail).toContain("actions/leak.toml, steps[0].command: (secr");
    expect(JSON.stringify(stalled)).not.toContain("s3cr3t");
    const runs = await org.api(`GET /v1/installs/${installId}/actions/runs`);
    expect(JSON.stringify(runs.body)).not.toContain("s3cr3t");
    const events = await db`
      select e.data from events e where e.org_id = ${org.orgId} and e.workflow_id = ${body.workflow_id}`;
    expect(JSON.stringify(events)).toContain("(secret)");
    expect(JSON.stringify(events)).not.toContain("s3cr3t");
  });

  test("is hidden where it is a default, too", async () => {
    const command = "echo {{ .svc.inputs.inputs.secret }}";
    const say = { name: "say", approval: true, steps: [{ name: "run", command }] };
    const org = await setup({
      "metadata.toml": { name: "shop" },
      "inputs.toml": { input: [{ name: "secret", sensitive: true, default: "d3fault-value" }] },
      actions: { "say.toml": say },
    });
    const { installId } = await givenInstall(org, { inputs: {} });
    const { body } = await org.run(installId, "say");
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    const step = stepIn(waiting, "approval-awaiting");
    const at = `/v1/workflows/${step.workflow_id}/steps/${step.id}/approvals/${step.approval?.id ?? ""}`;
    const contents = JSON.stringify((await org.api(`GET ${at}/contents`)).body);
    expect(contents).toContain("echo (secret)");
    expect(contents).not.toContain("d3fault");
    const state = JSON.stringify((await org.api(`GET /v1/installs/${installId}/state`)).body);
    expect(state).toContain('"secret":"(secret)"');
    expect(state).not.toContain("d3fault");
  });

  test("is hidden from when a config calls it sensitive, in older versions, too", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org, { inputs: { audience: "s3cr3t-world" } });
    await org.sync({
      ...shopConfig,
      "inputs.toml": {
        input: shopConfig["inputs.toml"].input.map((one) =>
          one.name === "audience" ? { ...one, sensitive: true } : one,
        ),
      },
    });
    for (const path of ["inputs", "inputs/current"]) {
      const { body } = await org.api(`GET /v1/installs/${installId}/${path}`);
      expect(JSON.stringify(body)).toContain('"audience":"(secret)"');
      expect(JSON.stringify(body)).not.toContain("s3cr3t");
    }
  });
});
