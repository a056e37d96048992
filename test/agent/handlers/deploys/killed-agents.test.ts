import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  type AgentProcess,
  type AgentProcessOptions,
  startAgentProcess,
} from "../../../support/agent/start-agent-process.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { givenDelivery } from "../../../support/deploys/given-delivery.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { type Phase, phaseGates, type PhaseGates } from "../../../support/terraform/phase-gates.ts";

/** A module whose apply says that it runs, and then stands still until it is let go on. */
const held = (name: string, mark: (of: string) => string): string => `
resource "terraform_data" "one" {
  input = "${name}"
  provisioner "local-exec" {
    command = "echo ${name} >>${mark("ran")}; until [ -e ${mark(`go-${name}`)} ]; do sleep 0.05; done"
  }
}
output "url" { value = terraform_data.one.output }
`;

/** Where an agent is killed: before a command of terraform, or within an apply. */
type Kill = Phase | "within";
const kills: readonly Kill[] = ["init", "plan", "show", "apply", "within", "state"];

/** An agent that is killed again and again, each time where the next gate is. */
async function killable(mark: (of: string) => string) {
  let agent: AgentProcess | undefined;
  let given: AgentProcessOptions | undefined;
  let gates: PhaseGates = await phaseGates();
  const runDir = await testFolder(0o700);
  const start = async (phase: Kill | undefined) => {
    gates = await phaseGates();
    if (phase !== undefined && phase !== "within") await gates.shut(phase);
    if (given === undefined) throw new Error("nothing is known of the agent");
    agent = await startAgentProcess({
      ...given,
      env: { ...given.env, PATH: gates.path },
      settings: { ...given.settings, "run-dir": runDir },
      ...(agent && { dataDir: agent.dataDir }),
    });
  };
  return {
    start: async (first: AgentProcessOptions) => {
      given = first;
      await start("init");
    },
    /** Kills it once it is there, and starts it again with the next gate shut. */
    kill: async (at: Kill, name: string, next: Kill | undefined) => {
      if (at === "within")
        await until(async () =>
          (await readFile(mark("ran"), "utf8").catch(() => "")).includes(name),
        );
      else await gates.reached(at);
      agent?.kill("SIGKILL");
      await agent?.ended;
      const before = gates;
      await start(next);
      if (at === "within") await writeFile(mark(`go-${name}`), "");
      else await before.open(at);
    },
  };
}

describeWithTools(
  ["registry", "terraform"],
  "an agent that is killed at each step of a provision",
  () => {
    test("applies each plan once, and the workflow ends as it went", async () => {
      const folder = await testFolder(0o777);
      const mark = (of: string): string => path.join(folder, of);
      const agent = await killable(mark);
      const delivery = await givenDelivery({
        files: { "sandbox/main.tf": held("net", mark), "web/main.tf": held("web", mark) },
        start: agent.start,
        document: (repo) => ({
          "metadata.toml": { name: "shop" },
          "sandbox.toml": { type: "terraform", public_repo: repo("sandbox") },
          components: {
            "web.toml": {
              name: "web",
              type: "terraform_module",
              public_repo: repo("web"),
              dependencies: [],
            },
          },
        }),
      });
      const { call, rests, workflow_id, id } = {
        ...delivery,
        ...(await delivery.install("acme", { install_config: { approval_option: "approve-all" } })),
      };
      const all = ["net", "web"].flatMap((name) => kills.map((at) => ({ at, name })));
      for (const [nth, { at, name }] of all.entries()) await agent.kill(at, name, all[nth + 1]?.at);
      const ended = await rests(workflow_id);
      expect([ended.status.status, ended.composite_error]).toEqual(["success", undefined]);
      expect(stepsOf(ended).slice(-4)).toEqual([
        "provision sandbox plan: approved",
        "provision sandbox apply plan: success",
        "sync and plan web: approved",
        "apply web: success",
      ]);
      expect((await readFile(mark("ran"), "utf8")).trim().split("\n")).toEqual(["net", "web"]);
      const { components, sandbox } = await call<State>(`GET /v1/installs/${id}/state`);
      expect([sandbox.outputs, components["web"]?.outputs]).toEqual([
        { url: "net" },
        { url: "web" },
      ]);
    });
  },
);

type Outputs = { readonly outputs: Readonly<Record<string, unknown>> };
type State = { readonly sandbox: Outputs; readonly components: Readonly<Record<string, Outputs>> };
