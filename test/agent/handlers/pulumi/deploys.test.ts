import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import {
  givenProgram,
  givenPulumiPath,
  pulumiModules,
  pulumiTools,
} from "../../../support/pulumi/given-pulumi.ts";
import { approvedPreview, givenStack, summaryOf } from "../../../support/pulumi/given-stack.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";

let fleet: Fleet;

const password = "correct-horse-9";
const config = { greeting: "hello", dbPassword: password };

/** A program with a resource for each name, and outputs of its config. */
const programOf = (...names: string[]): string => `
const pulumi = require("@pulumi/pulumi");
const config = new pulumi.Config();
for (const name of ${JSON.stringify(names)}) new pulumi.ComponentResource("words:index:Part", name);
console.log("password: " + config.require("dbPassword"));
exports.greeting = config.require("greeting");
exports.parts = ${names.length};
exports.password = config.requireSecret("dbPassword");
`;

async function setup() {
  await givenPulumiPath();
  const runner = await givenRunnerWithAgent(fleet, { "allow-file-sources": "yes" });
  // Where Node looks for what a program in the agent's folder imports.
  await symlink(pulumiModules(), path.join(runner.agent.dataDir, "node_modules"));
  const folder = await givenProgram({ "index.js": programOf("a") });
  const source = { source: { path: folder } };
  const change = async (...names: string[]) =>
    await writeFile(path.join(folder, "index.js"), programOf(...names));
  return { runner, source, change };
}

describeWithTools(pulumiTools, "a stack of Pulumi", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test("is planned, applied, found unchanged, updated and destroyed; only what was approved runs", async () => {
    const { runner, source, change } = await setup();
    const { run, logOf } = runner;
    const stack = await givenStack(fleet, runner);
    const body = { config };
    const plan = async (operation = "create-apply-plan") =>
      await run(stack.draft(operation, source, { body }));
    const apply = async (planned: Awaited<ReturnType<typeof plan>>, more: object = {}) =>
      await run(
        stack.draft("apply-plan", source, {
          body: { ...body, ...more },
          plan: approvedPreview(planned),
        }),
      );

    const planned = await plan();
    expect(planned).toMatchObject({ status: "finished" });
    expect(summaryOf(planned)).toMatchObject({ has_changes: true, add: 2, state_revision: 0 });
    expect(planned.result?.contents_display).toContain("will be created");
    expect(await stack.state()).toBeUndefined();

    await change("a", "b"); // the program is another one than was approved
    const other = await apply(planned);
    expect(other.result?.error_metadata).toMatchObject({ class: "plan_changed" });
    await change("a");
    const otherwise = await apply(planned, { config: { ...config, greeting: "bye" } });
    expect(otherwise.result?.error_metadata).toMatchObject({ class: "plan_changed" });
    expect(await stack.state()).toBeUndefined();

    const applied = await apply(planned);
    expect(applied).toMatchObject({
      status: "finished",
      outputs: { greeting: "hello", parts: 1 },
    });
    expect(applied.outputs).not.toHaveProperty("password");
    expect(summaryOf(applied)).toMatchObject({
      add: 2,
      outputs: { password: { sensitive: true } },
    });
    const state = await stack.state();
    expect(state?.urns).toHaveLength(2);

    const stale = await apply(planned);
    expect(stale.result?.error_metadata).toMatchObject({ class: "plan_stale" });
    const same = await plan();
    expect(summaryOf(same)).toMatchObject({ has_changes: false });
    expect(same.description).toMatch(/^No changes/);

    await change("b");
    const updating = await plan();
    expect(summaryOf(updating)).toMatchObject({ add: 1, destroy: 1, has_changes: true });
    const updated = await apply(updating);
    expect(updated).toMatchObject({ status: "finished" });

    const tearing = await plan("create-teardown-plan");
    expect(summaryOf(tearing)).toMatchObject({ destroy: 2, has_changes: true });
    const gone = await apply(tearing);
    expect(gone).toMatchObject({ status: "finished", outputs: {} });
    expect((await stack.state())?.urns).toEqual([]);

    const jobs = [planned, applied, updating, updated, tearing, gone];
    const logs = (await Promise.all(jobs.map(async ({ id }) => await logOf(id)))).flat();
    expect(logs.some((line) => line.includes("password: "))).toBe(true);
    const shown = JSON.stringify([logs, jobs.map(({ result }) => result?.contents_display)]);
    expect(shown).not.toContain(password);
    expect(runner.agent.logged.join("\n")).not.toContain(password);
    expect(state?.text).not.toContain(password);
  });

  test("of which no plan is saved is held to the steps that were approved, a saved plan to its own", async () => {
    const { runner, source } = await setup();
    const folder = await givenProgram({
      "index.js": `
const pulumi = require("@pulumi/pulumi");
for (const name of process.env.PARTS.split(",")) new pulumi.ComponentResource("words:index:Part", name);
`,
    });
    const at = { ...source, source: { path: folder } };
    const { draft } = await givenStack(fleet, runner);
    const python = await runner.run(draft("exec", at, { stack: { runtime: "python" } }));
    expect(python.result?.error_metadata).toMatchObject({ class: "config_invalid" });
    const lacking = await runner.run(draft("create-apply-plan", source));
    expect(lacking.result?.error_metadata).toMatchObject({ class: "config_missing" });
    expect(lacking.description).toContain("words:dbPassword");
    const broken = await runner.run(draft("exec", at)); // PARTS is not there
    expect(broken.result?.error_metadata).toMatchObject({ class: "program_failed" });
    for (const update_plans of [false, true]) {
      const stack = await givenStack(fleet, runner);
      const ask = (operation: string, PARTS: string, plan: object = {}) =>
        runner.run(
          stack.draft(operation, at, {
            stack: { update_plans },
            body: { env_vars: { PARTS } },
            plan,
          }),
        );
      const planned = await ask("create-apply-plan", "a");
      const other = await ask("apply-plan", "a,b", approvedPreview(planned));
      expect(other).toMatchObject({
        status: "failed",
        result: { error_metadata: { class: "plan_changed" } },
      });
      const made = (await stack.state())?.urns ?? [];
      expect(made.some((urn) => urn.endsWith("::b"))).toBe(false);
      if (update_plans) continue;
      const applied = await ask("apply-plan", "a", approvedPreview(planned));
      expect(applied).toMatchObject({ status: "finished" });
    }
  });
});
