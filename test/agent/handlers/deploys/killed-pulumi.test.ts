import { readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sweepMarked } from "../../../../agent/processes/sweep-marked.ts";
import type { WholeWorkflow } from "../../../../shared/api/workflow.ts";
import {
  type Gate,
  killableAgent,
  lateGate,
  requestGate,
} from "../../../support/agent/kill-gates.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { givenDelivery } from "../../../support/deploys/given-delivery.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { walks } from "../../../support/model/walks.ts";
import {
  type FaultProxy,
  faultProxy,
  type SeenRequest,
} from "../../../support/network/fault-proxy.ts";
import {
  givenPulumiPath,
  pulumiModules,
  pulumiTools,
} from "../../../support/pulumi/given-pulumi.ts";
import { heldProgram } from "../../../support/pulumi/held-program.ts";
import {
  type PulumiGate,
  type PulumiGates,
  pulumiGates,
} from "../../../support/pulumi/pulumi-gates.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";

/** Where an agent is killed: at a request to the broker, this side or that of a call of pulumi, or within an update. */
type At = PulumiGate | "opened" | "locked" | "within" | "pushed" | "unlocked" | "told";

const planning: readonly At[] = ["opened", "before-preview", "after-preview", "told"];
const beforeIt: readonly At[] = ["locked", "opened", "before-update"];
const afterIt: readonly At[] = ["after-update", "pushed", "unlocked", "told"];
const destroying: readonly At[] = [
  "locked",
  "opened",
  "before-preview",
  "after-preview",
  "before-update",
  ...afterIt,
];

/** A few of them, the same each time; all of them by `npm run models`. */
function someOf(all: readonly At[], salt: number, few = 1): readonly At[] {
  const { seed } = walks(1);
  if (seed === undefined) return all;
  const some = fc.subarray([...all], { minLength: few, maxLength: few });
  return fc.sample(some, { seed: seed + salt, numRuns: 1 })[0] ?? all;
}

type Gates = {
  readonly proxy: FaultProxy;
  readonly pulumi: PulumiGates;
  readonly ran: () => Promise<string[]>;
  readonly go: (name: string) => Promise<void>;
};

function gateOf({ proxy, pulumi, ran, go }: Gates, at: At, name: string): Gate {
  const isPost = (end: string) => (seen: SeenRequest) =>
    seen.method === "POST" && new RegExp(`${end}(?:\\?|$)`).test(seen.path);
  if (at === "opened") return requestGate(proxy, isPost("/pulumi-state/[^/]*/open"));
  if (at === "locked") return lateGate(proxy, isPost("/lock"));
  if (at === "pushed") return lateGate(proxy, isPost("/pulumi-state/[^/]*"));
  if (at === "unlocked") return requestGate(proxy, isPost("/unlock"));
  if (at === "told") return requestGate(proxy, isPost("/finish"));
  if (at === "within")
    return {
      shut: async () => await Promise.resolve(),
      reached: async () => await until(async () => (await ran()).includes(name)),
      open: async () => await go(name),
    };
  return {
    shut: async () => await pulumi.shut(at),
    reached: async () => await pulumi.reached(at),
    open: async () => await pulumi.open(at),
  };
}

/** An app whose sandbox and component are programs, and the agent of who installs it. */
async function setup() {
  await givenPulumiPath();
  const [folder, pulumi] = [await testFolder(0o777), await pulumiGates()];
  const mark = (of: string): string => path.join(folder, of);
  const agent = killableAgent({ "run-dir": await testFolder(0o700) });
  let proxy: FaultProxy | undefined;
  const delivery = await givenDelivery({
    files: { ...heldProgram("net", mark), ...heldProgram("web", mark) },
    start: async (given) => {
      proxy = await faultProxy(given.url);
      const PATH = `${pulumi.folder}:${process.env["PATH"]}`;
      const dataDir = await agent.start({
        ...given,
        url: proxy.url,
        env: { ...given.env, PATH },
      });
      await symlink(pulumiModules(), path.join(dataDir, "node_modules"));
    },
    document: (repo) => ({
      "metadata.toml": { name: "shop" },
      "inputs.toml": { input: [{ name: "size", type: "number", default: 2 }] },
      "sandbox.toml": {
        type: "pulumi",
        runtime: "nodejs",
        pulumi_config: { size: "{{ .svc.inputs.inputs.size }}" },
        public_repo: repo("net"),
      },
      components: {
        "web.toml": {
          name: "web",
          type: "pulumi",
          runtime: "nodejs",
          config: { size: "{{ .svc.inputs.inputs.size }}" },
          public_repo: repo("web"),
          dependencies: [],
        },
      },
    }),
  });
  if (proxy === undefined) throw new Error("the agent was not started");
  const ran = async () =>
    (await readFile(mark("ran"), "utf8").catch(() => "")).split("\n").filter(Boolean);
  const go = async (name: string) => await writeFile(mark(`go-${name}`), "");
  const gates = { proxy, pulumi, ran, go };
  return { ...delivery, agent, ran, go, ...actsOn(agent, gates, delivery) };
}

type Delivery = Awaited<ReturnType<typeof givenDelivery>>;
type Agent = ReturnType<typeof killableAgent>;
type Workspace = { readonly id: string; readonly lock: unknown; readonly block: object | null };

function actsOn(agent: Agent, gates: Gates, { call, fleet, rests, approve }: Delivery) {
  const gatesAt = (all: readonly At[], name: string) => all.map((at) => gateOf(gates, at, name));
  return {
    gatesAt,
    /** Approves what is asked for once it is, with the first of these gates shut behind it, and kills the agent at each. */
    approvedAndKilled: async (id: string, at: readonly Gate[], next?: Gate): Promise<void> => {
      const seen = await rests(id);
      await at[0]?.shut();
      if (!(await approve(seen))) throw new Error(`nothing is asked: ${stepsOf(seen).join("; ")}`);
      await agent.killAt(at, next);
    },
    /** Kills what runs of jobs, besides the agent: as when the host goes. */
    killRunning: async () => {
      const running = await fleet.db<{ id: string }[]>`
        select id from runner_job_executions where status = 'in-progress'`;
      for (const { id } of running) await sweepMarked(id);
    },
    workspaces: async () =>
      (await call<{ items: Workspace[] }>("GET /v1/terraform-workspaces")).items,
    /** Each execution of a job but the first. */
    triedAgain: async () =>
      await fleet.db`select runner_job_id from runner_job_executions group by 1 having count(*) > 1`,
    outputsOf: async (id: string) => {
      const { sandbox, components } = await call<State>(`GET /v1/installs/${id}/state`);
      return [sandbox.outputs, components["web"]?.outputs];
    },
    failedOf: ({ steps }: WholeWorkflow) =>
      steps.find(({ status }) => /^(?:error|failed)/.test(status.status)),
  };
}

type Outputs = { readonly outputs?: object };
type State = { readonly sandbox: Outputs; readonly components: Readonly<Record<string, Outputs>> };

type Given = Awaited<ReturnType<typeof setup>>;
type Failed = { readonly step: string; readonly workspace: string };

/** Within the sandbox's update the agent goes, and what it runs with it. */
async function cutOff(given: Given, workflow: string): Promise<Failed> {
  const lost = given
    .gatesAt(["within"], "net")
    .map((gate) => ({ ...gate, meanwhile: given.killRunning }));
  const before = given.gatesAt(someOf(beforeIt, 2), "net");
  await given.approvedAndKilled(workflow, [...before, ...lost]);
  const left = await given.rests(workflow);
  expect(left.status.status).toBe("failed-pending-retry");
  const failed = given.failedOf(left);
  expect(failed?.composite_error).toMatchObject({ title: "It was killed during the update" });
  expect(await given.ran()).toEqual(["net"]);
  const blocked = (await given.workspaces()).find(({ block }) => block !== null);
  expect(blocked).toMatchObject({ lock: null, block: { kind: "killed_dirty" } });
  return { step: failed?.id ?? "", workspace: blocked?.id ?? "" };
}

/** It waits until somebody has looked, and then makes a plan of its own. */
async function retried(given: Given, workflow: string, { step, workspace }: Failed): Promise<void> {
  const { call } = given;
  await call(`POST /v1/workflows/${workflow}/steps/${step}/retry`, {});
  await until(async () =>
    (await given.workflow(workflow)).steps.some(
      ({ status: { status, status_human_description: words } }) =>
        status !== "error" && words.includes(`${workspace}, which is blocked`),
    ),
  );
  expect(await given.ran()).toEqual(["net"]);
  await call(`POST /v1/terraform-workspaces/${workspace}/unblock`, { reason: "looked" });
}

/** What pulumi saves no plan of is held to its steps. */
async function tornDown(given: Given, id: string): Promise<void> {
  const { workflow_id: workflow } = await given.call<{ workflow_id: string }>(
    `POST /v1/installs/${id}/deprovision`,
    {},
  );
  for (const name of ["web", "net"])
    await given.approvedAndKilled(workflow, given.gatesAt(destroying, name));
  expect((await given.rests(workflow)).status.status).toBe("success");
  expect(await given.outputsOf(id)).toEqual([undefined, undefined]);
}

const described = "an agent that is killed at steps of a sandbox and of a deploy by Pulumi";

describeWithTools([...pulumiTools, "registry"], described, () => {
  test("applies what was approved once; what was cut off within waits until somebody has looked, and is gone on with then", async () => {
    const given = await setup();
    const { agent, approvedAndKilled, gatesAt } = given;
    const planNet = gatesAt(someOf(planning, 1), "net");
    await planNet[0]?.shut();
    const { id, workflow_id: workflow } = await given.install("acme");
    await agent.killAt(planNet);
    await retried(given, workflow, await cutOff(given, workflow));
    const planWeb = gatesAt(someOf(planning, 4), "web");
    await approvedAndKilled(workflow, gatesAt(someOf(afterIt, 3), "net"), planWeb[0]);
    await agent.killAt(planWeb);
    const applying: readonly At[] = [...beforeIt, "within", ...afterIt];
    await approvedAndKilled(workflow, gatesAt(someOf(applying, 5), "web"));
    await given.go("web");
    const ended = await given.rests(workflow);
    expect([ended.status.status, ended.composite_error]).toEqual(["success", undefined]);
    expect(await given.ran()).toEqual(["net", "net", "web"]);
    expect(await given.outputsOf(id)).toEqual([{ url: "net/2" }, { url: "web/2" }]);
    if (walks(1).seed === undefined) await tornDown(given, id);
    expect(await given.triedAgain()).toEqual([]);
    const free = { lock: null, block: null };
    expect(await given.workspaces()).toMatchObject([free, free]);
  });
});
