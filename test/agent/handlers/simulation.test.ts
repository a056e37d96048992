import { chmod } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { runnerJobType, runnerJobTypeNames } from "../../../shared/runner-job-types.ts";
import { givenRunnerWithAgent, jobReader } from "../../support/agent/given-jobs.ts";
import { startTestAgent } from "../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet, type TestRunner } from "../../support/broker/given-fleet.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

describe("a simulated job", () => {
  const sandbox = (sandbox_mode: object, more: object = {}) =>
    JSON.stringify({ ...more, sandbox_mode: { enabled: true, duration: 0, ...sandbox_mode } });

  test("of terraform brings a plan in the shapes of a real one", async () => {
    const { run } = await givenRunnerWithAgent(fleet);
    const plan = sandbox({ outputs: { url: "x" } });
    const operation = "create-apply-plan";
    const ended = await run({ type: "sandbox-terraform", operation, plan });
    expect(ended).toMatchObject({ status: "finished", outputs: { url: "x" } });
    const { contents_gzip = "", contents_display_gzip = "" } = ended.result ?? {};
    expect(Buffer.from(contents_gzip, "base64").subarray(0, 2).toString()).toBe("PK");
    const display: unknown = JSON.parse(
      gunzipSync(Buffer.from(contents_display_gzip, "base64")).toString(),
    );
    expect(display).toMatchObject({ format_version: "1.2", resource_changes: [] });
  });

  test("brings the contents that its plan gives", async () => {
    const { run } = await givenRunnerWithAgent(fleet);
    const helm = { plan_contents: '{"mine":1}', plan_display_contents: { shown: true } };
    const operation = "create-apply-plan";
    const ended = await run({ type: "helm-chart-deploy", operation, plan: sandbox({ helm }) });
    const read = (gzip = ""): unknown =>
      JSON.parse(gunzipSync(Buffer.from(gzip, "base64")).toString());
    expect(read(ended.result?.contents_gzip)).toEqual({ mine: 1 });
    expect(read(ended.result?.contents_display_gzip)).toEqual({ shown: true });
  });

  test("fails where it is told to, as it is told to", async () => {
    const { run } = await givenRunnerWithAgent(fleet);
    const mode = { fail_at: "apply", error: "quota exceeded", error_code: 42 };
    const ended = await run({
      type: "terraform-deploy",
      operation: "apply-plan",
      plan: sandbox(mode),
    });
    expect(ended).toMatchObject({
      status: "failed",
      description: "quota exceeded",
      result: { success: false, error_code: 42, error_metadata: { reason: "simulated" } },
    });
    const wrong = await run({ type: "terraform-deploy", plan: sandbox({ fail_at: "nowhere" }) });
    expect(wrong.description).toContain(
      "unknown phase nowhere; the phases are: init, plan, apply, output",
    );
  });

  test("is every job of a group in sandbox mode, and those of the agent itself are done", async () => {
    const runner = await fleet.addRunner();
    await runner.operate(`PATCH /v1/runners/${runner.runnerId}/settings`, {
      sandbox_mode: true,
    });
    await startTestAgent({ url: fleet.broker.url, token: runner.token });
    const { run, runSteps } = jobReader(fleet, runner);
    const marker = path.join(await testFolder(), "marker");
    const ended = await runSteps([{ name: "touch", argv: ["touch", marker] }]);
    expect(ended).toMatchObject({ status: "finished" });
    await expect(chmod(marker, 0o600)).rejects.toThrow("ENOENT");
    const { outputs } = await run({ type: "health-check" });
    expect(outputs).toMatchObject({ is_well: true });
  });

  test("of secrets tells of each as a sync does, and what its plan says goes before", async () => {
    const { run } = await givenRunnerWithAgent(fleet);
    const secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:license";
    const to = { namespace: "shop", name: "license" };
    const kubernetes_secrets = [
      { ...to, secret_name: "license", secret_arn },
      { ...to, secret_name: "extra", key_name: "extra" },
    ];
    const outputs = { more: { exists: true } };
    const ended = await run({
      type: "sandbox-sync-secrets",
      plan: sandbox({ outputs }, { kubernetes_secrets }),
    });
    expect(ended.outputs).toMatchObject({
      license: { arn: secret_arn, exists: true, kubernetes_name: "license", length: 0 },
      extra: { arn: "", exists: false, kubernetes_key: "extra" },
      ...outputs,
    });
  });

  test("of an action runs none of its steps", async () => {
    const { run } = await givenRunnerWithAgent(fleet);
    const marker = path.join(await testFolder(), "marker");
    const steps = [{ name: "touch", argv: ["touch", marker] }];
    const ended = await run({ type: "actions-workflow", plan: sandbox({}, { steps }) });
    expect(ended).toMatchObject({ status: "finished" });
    await expect(chmod(marker, 0o600)).rejects.toThrow("ENOENT");
  });

  test("of an action reports its steps, and ends with its plan's timeout", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const steps = [
      { run_id: "stp_1", interpolated_command: "exit 9" },
      { run_id: "stp_2", interpolated_command: "exit 9" },
    ];
    const sandbox_mode = { enabled: true, duration: 0, fail_at: "step 2" };
    const { id } = await runSteps(steps, { id: "awr_7", install_id: "ins_7", sandbox_mode });
    const reported = async (): Promise<string[]> => {
      const rows = await fleet.db<{ status: string }[]>`
        select status from action_run_steps where runner_job_id = ${id} order by step_id`;
      return rows.map(({ status }) => status);
    };
    await expect.poll(reported).toEqual(["finished", "error"]);
    const endless = { enabled: true, duration: 3_600e9 };
    const ended = await runSteps(steps, { timeout: 1e9, sandbox_mode: endless });
    expect(ended.status).toBe("timed-out");
  });

  test.each(["install", "build", "mng"])(
    "is of every kind that a process of mode %s serves",
    async (mode) => {
      const runner = await fleet.addRunner();
      await startTestAgent({ url: fleet.broker.url, token: runner.token }, { mode });
      const { run } = jobReader(fleet, runner);
      const sandbox_mode = { enabled: true, duration: 1e6, log_lines: ["one", "two"] };
      const types = runnerJobTypeNames.filter((type) => modeOf(type) === mode);
      for (const type of types) {
        const steps = [{ name: "a", interpolated_command: "exit 9" }];
        const plan = JSON.stringify({ sandbox_mode, ...(isAction(type) && { steps }) });
        const ended = await run({ type, operation: "create-apply-plan", plan });
        expect([type, ended.status, ended.description]).toEqual([type, "finished", ""]);
        // An end waits for its log for a second only; the last lines may come after it.
        await expect.poll(async () => (await saidBy(runner, ended.id)).length).toBeGreaterThan(3);
        const said = (await saidBy(runner, ended.id)).slice(0, 3);
        expect(said).toEqual(["This job is simulated: nothing runs.", "one", "two"]);
        const hasPlan = /terraform|helm|kubernetes-manifest|pulumi|job-deploy/.test(type);
        expect([type, ended.result?.contents_display_gzip !== undefined]).toEqual([type, hasPlan]);
      }
    },
  );
});

async function saidBy({ operatorToken: token }: TestRunner, jobId: string): Promise<string[]> {
  const path = `GET /v1/log-streams/lgs_${jobId.slice(4)}/logs?limit=10`;
  const { body } = await fleet.broker.call<{ items: { body: string }[] }>(path, { token });
  return body.items.map((line) => line.body);
}

const isAction = (type: string): boolean => type === "actions-workflow" || type === "runner-local";

function modeOf(type: (typeof runnerJobTypeNames)[number]): string {
  const { group } = runnerJobType(type);
  return group === "management" ? "mng" : group === "build" ? "build" : "install";
}
