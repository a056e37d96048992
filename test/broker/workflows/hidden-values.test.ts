import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
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
    expect(stalled.composite_error?.detail).toContain(
      "actions/leak.toml, steps[0].command: this cannot be rendered; the reason is not shown",
    );
    expect(JSON.stringify(stalled)).not.toContain("s3cr3t");
    const runs = await org.api(`GET /v1/installs/${installId}/actions/runs`);
    expect(JSON.stringify(runs.body)).not.toContain("s3cr3t");
    const events = await db`
      select e.data from events e where e.org_id = ${org.orgId} and e.workflow_id = ${body.workflow_id}`;
    expect(JSON.stringify(events)).toContain("since sensitive values decide it");
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

const secret = "s3cr3t-value";
const given = ".svc.inputs.inputs.secret";
const templates = [
  `{{ ${given} | upper }}`,
  `{{ sha256sum ${given} }}`,
  `{{ printf "%x" ${given} }}`,
  `{{ if hasPrefix "s3" ${given} }}it-is-so{{ else }}it-is-not{{ end }}`,
  `{{ range split "" ${given} }}[{{ . }}]{{ end }}`,
];
const telling = [
  secret,
  secret.toUpperCase(),
  createHash("sha256").update(secret).digest("hex"),
  Buffer.from(secret).toString("hex"),
  "it-is-so",
  "[s][3]",
];
const changing = {
  name: "change",
  approval: true,
  steps: [
    {
      name: `for {{ ${given} | upper }}`,
      command: `echo {{ .svc.inputs.inputs.audience }} ${templates.join(" ")}`,
      env_vars: { ALL: `{{ list ${given} 5 }}`, OPEN: "{{ .svc.inputs.inputs.audience }}" },
    },
  ],
};
const changed = { ...shopConfig, actions: { "change.toml": changing } };
const approvalAt = (workflow: WholeWorkflow) => {
  const { workflow_id, id, approval } = stepIn(workflow, "approval-awaiting");
  return `/v1/workflows/${workflow_id}/steps/${id}/approvals/${approval?.id ?? ""}`;
};

describe("what templates make of a sensitive input", () => {
  test("is in the run's plan, and in nothing that people are shown", async () => {
    const org = await setup(changed);
    const { installId, agent } = await givenInstall(org, { inputs: { audience: "world", secret } });
    const { body } = await org.run(installId, "change", { run_env_vars: { OWN: "0wn-value" } });
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    const contents = (await org.api(`GET ${approvalAt(waiting)}/contents`)).body;
    expect(contents).toMatchObject({
      steps: [
        {
          name: "for (secret)",
          interpolated_command: "echo world (secret) (secret) (secret) (secret) (secret)",
          interpolated_env_vars: { ALL: "(secret)", OPEN: "world" },
        },
      ],
      override_env_vars: { OWN: "(secret)" },
    });
    await org.respond(stepIn(waiting, "approval-awaiting"), { response_type: "approve" });
    const done = await org.reach(body.workflow_id, "success");
    const plan = JSON.parse(agent.plans.at(-1) ?? "") as {
      readonly secrets: readonly string[];
      readonly steps: readonly { readonly interpolated_command: string }[];
    };
    for (const text of telling.slice(1))
      expect(plan.steps[0]?.interpolated_command).toContain(text);
    const longer = plan.secrets.find((text) => text.startsWith("[s][3]")) ?? "";
    expect(longer).toHaveLength(3 * secret.length);
    for (const text of telling.slice(0, 5)) expect(plan.secrets).toContain(text);
    // Who knows all else of the plan cannot find the value by the plan's digest.
    const salt = plan.secrets.find((text) => /^[0-9a-f]{32}$/.test(text)) ?? "";
    expect(salt).not.toBe("");

    const [job] = await db<{ id: string; run: string }[]>`
      select r.runner_job_id as id, r.id as run from install_action_runs r where r.workflow_id = ${body.workflow_id}`;
    const { secret: token } = await createToken(db, org.orgId, {
      name: "reader",
      kind: "sa",
      role: "org_support",
      grants: ["plans.read"],
      createdById: "",
    });
    const at = `GET /v1/runner-jobs/${job?.id ?? ""}`;
    const planShown = await org.brokers[0]?.call(`${at}/plan`, { token });
    const jobShown = await org.brokers[0]?.call(`${at}?include=plan`, { token });
    for (const shown of [planShown, jobShown])
      expect(JSON.stringify(shown?.body)).toContain("for (secret)");
    const seen = JSON.stringify([
      contents,
      waiting,
      done,
      planShown?.body,
      jobShown?.body,
      (await org.api(`GET /v1/installs/${installId}/actions/runs/${job?.run ?? ""}`)).body,
      (await org.api(`GET /v1/installs/${installId}/state`)).body,
      (await org.api("GET /v1/audit?limit=100")).body,
      await db`select e.data from events e where e.org_id = ${org.orgId}`,
      await db`select s.name from action_run_steps s where s.org_id = ${org.orgId}`,
    ]);
    for (const text of [...telling, "0wn-value", salt]) expect(seen).not.toContain(text);
  });

  test("stays hidden in an approval that an older version asked for, with all that was rendered", async () => {
    const org = await setup(changed);
    const { installId } = await givenInstall(org, { inputs: { audience: "world", secret } });
    const { body } = await org.run(installId, "change");
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    await db`delete from shown_plans p where p.workflow_id = ${body.workflow_id}`;
    const contents = (await org.api(`GET ${approvalAt(waiting)}/contents`)).body;
    expect(contents).toMatchObject({ install_id: installId, steps: [{ name: "(secret)" }] });
    await org.respond(stepIn(waiting, "approval-awaiting"), { response_type: "approve" });
    await org.reach(body.workflow_id, "success");
    const steps = await db`
      select s.name from action_run_steps s where s.org_id = ${org.orgId} and s.name <> 'run'`;
    const seen = JSON.stringify([contents, steps]);
    expect(steps).toEqual([{ name: "(secret)" }]);
    for (const text of telling) expect(seen).not.toContain(text);
  });

  test("does not hide what an author wrote alike: that would tell a guess that is right", async () => {
    const command = "echo s3cr3t-value another-guess {{ .svc.inputs.inputs.secret | trunc 1 }}";
    const guess = { name: "guess", approval: true, steps: [{ name: "run", command }] };
    const org = await setup({ ...shopConfig, actions: { "guess.toml": guess } });
    const { installId } = await givenInstall(org, { inputs: { audience: "world", secret } });
    const { body } = await org.run(installId, "guess");
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    const contents = JSON.stringify((await org.api(`GET ${approvalAt(waiting)}/contents`)).body);
    expect(contents).toContain("echo s3cr3t-value another-guess (secret)");
  });
});
