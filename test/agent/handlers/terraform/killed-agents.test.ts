import { existsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sweepMarked } from "../../../../agent/processes/sweep-marked.ts";
import { jobReader } from "../../../support/agent/given-jobs.ts";
import { startAgentProcess } from "../../../support/agent/start-agent-process.ts";
import { supervisorsOf } from "../../../support/agent/supervisors-of.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { faultProxy } from "../../../support/network/fault-proxy.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder, patiently } from "../../../support/run/folder.ts";
import { providerTools } from "../../../support/terraform/given-providers.ts";
import { givenTerraformWorkspace } from "../../../support/terraform/given-terraform.ts";
import { heldFiles } from "../../../support/terraform/held-files.ts";
import { heldTerraform } from "../../../support/terraform/held-terraform.ts";
import { phaseGates } from "../../../support/terraform/phase-gates.ts";
import { stateText } from "../../../support/workspaces/given-workspace.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const small = { "main.tf": 'resource "terraform_data" "one" { input = "x" }\n' };

/** An agent that can be killed and started again, behind a proxy. */
async function setup(settings: Readonly<Record<string, string>> = {}, PATH?: string) {
  const runner = await fleet.addRunner({ parallelism: { deploy: 2 } });
  const proxy = await faultProxy(fleet.broker.url);
  const runDir = await testFolder(0o700);
  const given = {
    url: proxy.url,
    env: { SVC_AGENT_TOKEN: runner.token, ...(PATH !== undefined && { PATH }) },
    settings: { groups: "deploy=2", "run-dir": runDir, ...settings },
  };
  const first = await startAgentProcess(given);
  const terraform = await givenTerraformWorkspace(fleet, runner);
  const reader = jobReader(fleet, runner);
  return {
    ...reader,
    runDir,
    terraform,
    proxy,
    dataDir: first.dataDir,
    again: async () => await startAgentProcess({ ...given, dataDir: first.dataDir }),
    kill: async () => {
      first.kill("SIGKILL");
      await first.ended;
    },
    /** Of a child that was made ready and has not begun, nothing outlives the agent. */
    expectNoneReady: async (id: string) => {
      const executionId = (await reader.job(id)).executions.at(-1)?.id ?? "";
      const names = (await readdir(runDir, { recursive: true })).filter((name) =>
        new RegExp(`/${executionId}\\.\\d+$`).test(`/${name}`),
      );
      const unborn = names
        .map((name) => path.join(runDir, name))
        .filter((dir) => !existsSync(path.join(dir, "born")));
      for (const dir of unborn) {
        await expect.poll(() => supervisorsOf(dir)).toEqual([]);
      }
    },
    executionOf: async (id: string) => (await reader.job(id)).executions.at(-1)?.id ?? "",
  };
}

describeWithTools(providerTools(["local"]), "a terraform job whose agent is killed", () => {
  test.each(["init", "show", "state"] as const)("within %s ends as it did", async (phase) => {
    const [held, gates] = [await heldFiles(), await phaseGates()];
    await held.release();
    await gates.shut(phase);
    const at = await setup(held.settings, gates.path);
    const { terraform, enqueue, ended, job, kill, again } = at;
    const id = await enqueue(await terraform.job("exec", { files: held.files }));
    await gates.reached(phase);
    await kill();
    await at.expectNoneReady(id);
    await again();
    await gates.open(phase);
    expect(await ended(id)).toMatchObject({
      status: "finished",
      description: "Applied: 3 added, 0 changed, 0 destroyed.",
    });
    expect((await job(id)).executions).toHaveLength(1);
    await held.expectTrue(terraform, ["first", "second"]);
  });

  test("between plan and apply applies once", async () => {
    const held = await heldFiles();
    await held.release();
    const folder = await testFolder(0o777);
    const [at, go] = [path.join(folder, "at"), path.join(folder, "go")];
    const { terraform, enqueue, ended, kill, again } = await setup(held.settings);
    const hooks = { pre_apply: `echo >>${at}; until [ -e ${go} ]; do sleep 0.05; done` };
    const id = await enqueue(await terraform.job("exec", { files: held.files, body: { hooks } }));
    await until(() => existsSync(at));
    expect(await held.made()).toEqual([]);
    await kill();
    await again();
    await writeFile(go, "");
    expect(await ended(id)).toMatchObject({ status: "finished" });
    await held.expectTrue(terraform, ["first", "second"]);
  });
});

describe("a host that is started anew under an apply", () => {
  /** As it is after a power cut: nothing runs, nothing is in memory. */
  async function cutPower(at: Awaited<ReturnType<typeof setup>>, id: string): Promise<string> {
    const executionId = await at.executionOf(id);
    await at.kill();
    await sweepMarked(executionId);
    for (const name of await readdir(at.runDir)) {
      await rm(path.join(at.runDir, name), patiently);
    }
    return executionId;
  }

  test("leaves the workspace blocked, and says that how far it got is unknown", async () => {
    const held = await heldTerraform();
    const at = await setup();
    const { plan = "{}", ...job } = await at.terraform.job("exec", { files: held.files });
    const jobs = `POST /v1/runners/${at.runnerId}/jobs`;
    const id = String(
      (await at.operate(jobs, { ...job, plan: JSON.parse(String(plan)) as object }))["id"],
    );
    await held.begun();
    await cutPower(at, id);
    const path = `POST /v1/terraform-workspaces/${at.terraform.workspaceId}/force-unlock`;
    await at.operate(path, { reason: "a lock is no sign of what was done", force: true });
    await at.again();
    const ended = await at.ended(id);
    expect(ended).toMatchObject({
      status: "failed",
      result: { error_metadata: { class: "killed_dirty" } },
    });
    expect(ended.description).toContain("how far it got is unknown");
    const { block } = await at.terraform.workspace();
    expect(block).toMatchObject({ kind: "killed_dirty", runner_job_id: id });
    expect(await held.ran()).toEqual(["first", "second"]); // and was not begun again
  });

  test("brings the state that terraform could not save, which is on its disk", async () => {
    const held = await heldTerraform();
    const at = await setup();
    const id = await at.enqueue(await at.terraform.job("exec", { files: held.files }));
    await held.begun();
    const executionId = await cutPower(at, id);
    const folder = path.join(at.dataDir, "work", executionId, "sources/configuration");
    await writeFile(path.join(folder, "errored.tfstate"), stateText({ serial: 7 }));
    await at.again();
    expect((await at.ended(id)).description).toContain("sealed on this host");
    const list = `GET /v1/terraform-workspaces/${at.terraform.workspaceId}/rescued-states`;
    const rescued = async (): Promise<object[]> =>
      (await fleet.broker.call<object[]>(list, { token: at.operatorToken })).body;
    await expect.poll(rescued).toMatchObject([{ serial: 7 }]);
    expect((await at.terraform.workspace()).block).not.toBeNull();
  });

  test("before it began blocks nothing", async () => {
    const gates = await phaseGates();
    await gates.shut("init");
    const at = await setup({}, gates.path);
    const id = await at.enqueue(await at.terraform.job("exec", { files: small }));
    await gates.reached("init");
    await cutPower(at, id);
    await at.again();
    expect((await at.ended(id)).result?.error_metadata).toMatchObject({ class: "lost" });
    expect((await at.terraform.workspace()).block).toBeNull();
  });
});

describe("an agent that is killed before it kept its job's token", () => {
  test("gives the job back, and does it with another one", async () => {
    const at = await setup();
    const unheard = at.proxy.fail("PATCH /executions/", "hang");
    const id = await at.enqueue(await at.terraform.job("exec", { files: small }));
    await until(() => at.proxy.seen("PATCH /executions/").length > 0);
    const executionId = await at.executionOf(id);
    await at.kill();
    const [own = ""] = await readdir(at.runDir);
    await rm(path.join(at.runDir, own, `${executionId}.job`), patiently);
    unheard.mend();
    await at.again();
    expect(await at.ended(id)).toMatchObject({ status: "finished" });
    expect((await at.terraform.state())?.resources).toHaveLength(1);
  });
});
