import { beforeAll, describe, expect, test } from "vitest";
import { findMarked } from "../../../../agent/processes/sweep-marked.ts";
import { givenRunnerWithAgent, jobReader } from "../../../support/agent/given-jobs.ts";
import { startAgentProcess } from "../../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { faultProxy } from "../../../support/network/fault-proxy.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { providerTools } from "../../../support/terraform/given-providers.ts";
import {
  approvedPlan,
  givenTerraformWorkspace,
} from "../../../support/terraform/given-terraform.ts";
import { heldFiles } from "../../../support/terraform/held-files.ts";
import { heldTerraform } from "../../../support/terraform/held-terraform.ts";
import { phaseGates } from "../../../support/terraform/phase-gates.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const small = { "main.tf": 'resource "terraform_data" "one" { input = "x" }\n' };

/** An agent behind a proxy, whose terraform has gates. */
async function setup(settings: Readonly<Record<string, string>> = {}) {
  const [runner, gates] = [
    await fleet.addRunner({ parallelism: { deploy: 2 } }),
    await phaseGates(),
  ];
  const proxy = await faultProxy(fleet.broker.url);
  const agent = await startAgentProcess({
    url: proxy.url,
    env: { SVC_AGENT_TOKEN: runner.token, PATH: gates.path },
    settings: { groups: "deploy=2", ...settings },
  });
  const terraform = await givenTerraformWorkspace(fleet, runner);
  const reader = jobReader(fleet, runner);
  const free = async () => {
    const { lock, block } = await terraform.workspace();
    return { lock, block };
  };
  return { ...reader, agent, proxy, terraform, gates, free };
}

const isFree = { lock: null, block: null };

describe("a terraform job that is cancelled", () => {
  test.each(["init", "plan", "show"] as const)(
    "within %s has changed nothing, and leaves the workspace free",
    async (phase) => {
      const at = await setup();
      await at.gates.shut(phase);
      const id = await at.enqueue(await at.terraform.job("exec", { files: small }));
      await at.gates.reached(phase);
      await at.operate(`POST /v1/runner-jobs/${id}/cancel`);
      await at.gates.open(phase);
      await until(async () => (await at.ended(id)).result !== null);
      const ended = await at.ended(id);
      expect(ended).toMatchObject({ status: "cancelled" });
      expect(ended.description).not.toContain("The plan was applied");
      expect(await at.free()).toEqual(isFree);
      expect(await at.terraform.state()).toBeUndefined();
    },
  );

  test("within its apply, whose state is refused then, has it kept aside by the broker", async () => {
    const [at, held] = [await setup(), await heldTerraform()];
    const id = await at.enqueue(await at.terraform.job("exec", { files: held.files }));
    await held.begun();
    const refused = at.proxy.fail(
      ({ method, path, headers }) =>
        `${method} ${path}`.startsWith("POST /v1/terraform-backend") &&
        (headers["user-agent"] ?? "").startsWith("Go-http-client"), // terraform's own attempts
      "409",
    );
    await at.operate(`POST /v1/runner-jobs/${id}/cancel`);
    await until(async () => (await at.ended(id)).result !== null);
    const { result } = await at.ended(id);
    expect(refused.hits()).toBeGreaterThan(0);
    const kept = { class: "state_push_failed", rescued: "at-broker" };
    expect(result?.error_metadata).toMatchObject(kept); // a job that was cancelled takes no lock, so nobody writes it
    const path = `GET /v1/terraform-workspaces/${at.terraform.workspaceId}/rescued-states`;
    const { body } = await fleet.broker.call(path, { token: at.operatorToken });
    expect(body).toMatchObject([{ runner_job_id: id }]);
    expect(await at.free()).toMatchObject({ lock: null, block: { kind: "state_push_failed" } });
  });

  test("after its apply says that the plan is applied, and leaves the workspace free", async () => {
    const at = await setup();
    await at.gates.shut("state");
    const id = await at.enqueue(await at.terraform.job("exec", { files: small }));
    await at.gates.reached("state");
    await at.operate(`POST /v1/runner-jobs/${id}/cancel`);
    await at.gates.open("state");
    await until(async () => (await at.ended(id)).result !== null);
    expect(await at.free()).toEqual(isFree);
    expect((await at.terraform.state())?.resources).toHaveLength(1);
  });
});

describe("a plan whose terraform is killed while it holds the lock", () => {
  /** An agent whose job plans, holds the lock, and stands still at its state. */
  async function givenPlanning(operation: string) {
    const at = await setup();
    const held = at.proxy.hold(
      ({ method, path }) =>
        `${method} ${path}`.startsWith("GET /v1/terraform-backend") &&
        at.proxy.seen("POST /lock").length > 0,
    );
    const id = await at.enqueue(await at.terraform.job(operation, { files: small }));
    await until(async () => (await at.terraform.workspace()).lock !== null);
    const executionId = (await at.job(id)).executions[0]?.id ?? "";
    const kill = async () => {
      for (const { pid } of await findMarked(executionId)) process.kill(pid, "SIGKILL");
    };
    return { ...at, held, id, kill };
  }

  test("leaves it free though its agent cannot give the lock back: an exec", async () => {
    const at = await givenPlanning("exec");
    const refused = at.proxy.fail(({ path }) => path.endsWith("/lock"), "500");
    await at.kill();
    expect(await at.ended(at.id)).toMatchObject({ status: "failed" });
    expect(refused.hits()).toBeGreaterThan(0);
    expect(await at.free()).toEqual(isFree);
    expect(await at.terraform.events()).toMatchObject([{ kind: "unlocked", actor_id: "broker" }]);
  });

  test.each(["create-apply-plan", "exec"])("leaves the workspace free: %s", async (operation) => {
    const { held, id, kill, ...at } = await givenPlanning(operation);
    await kill();
    expect(await at.ended(id)).toMatchObject({ status: "failed" });
    expect(await at.free()).toEqual(isFree);
    held.release();
    expect(await at.run(await at.terraform.job("exec", { files: small }))).toMatchObject({
      status: "finished",
    });
  });
});

describe("an approved plan that cannot be read", () => {
  test("is not applied", async () => {
    const at = await setup();
    const planned = await at.run(await at.terraform.job("create-apply-plan", { files: small }));
    await at.gates.shut("show", "fails");
    const plan = approvedPlan(planned);
    const ended = await at.run(await at.terraform.job("apply-plan", { files: small, plan }));
    expect(ended.status).toBe("failed");
    expect(ended.description).toContain("terraform show failed");
    expect(await at.free()).toEqual(isFree);
    expect(await at.terraform.state()).toBeUndefined();
  });
});

describe("two applies on one workspace at once", () => {
  test("are one that runs and one that says who holds it", async () => {
    const [at, held] = [await setup(), await heldTerraform()];
    const first = await at.enqueue(await at.terraform.job("exec", { files: held.files }));
    await held.begun();
    const body = { lock_timeout: 1e9 };
    const second = await at.run(await at.terraform.job("exec", { files: held.files, body }));
    expect(second.result?.error_metadata).toMatchObject({ class: "state_lock" });
    expect(second.description).toContain(`job ${first}`);
    await held.release();
    expect(await at.ended(first)).toMatchObject({ status: "finished" });
    expect(await held.ran()).toEqual(["first", "second", "third"]);
    expect(await at.free()).toEqual(isFree);
    expect((await at.terraform.state())?.resources).toHaveLength(3);
  });
});

describeWithTools(providerTools(["local"]), "an apply that is stopped by force", () => {
  test("leaves the workspace blocked and a state of what there is", async () => {
    const held = await heldFiles();
    const runner = await givenRunnerWithAgent(fleet, held.settings);
    const terraform = await givenTerraformWorkspace(fleet, runner);
    const id = await runner.enqueue(await terraform.job("exec", { files: held.files }));
    await held.begun();
    await runner.operate(`POST /v1/runners/${runner.runnerId}/force-shutdown`);
    expect(await runner.agent.gone).toBe(131);
    expect((await runner.ended(id)).status).toBe("failed");
    await until(async () => (await terraform.workspace()).block !== null);
    const [execution] = (await runner.job(id)).executions;
    expect(await findMarked(execution?.id ?? "")).toEqual([]);
    expect(await held.made()).toEqual(["first"]);
    expect(JSON.stringify(await terraform.state())).toContain("local_file");
  });
});
