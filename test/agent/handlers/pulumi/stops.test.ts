import { existsSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { givenKillableAgent, wait } from "../../../support/agent/given-killable-agent.ts";
import { givenFleet } from "../../../support/broker/given-fleet.ts";
import {
  givenProgram,
  givenPulumiPath,
  pulumiModules,
  pulumiTools,
} from "../../../support/pulumi/given-pulumi.ts";
import { givenStack } from "../../../support/pulumi/given-stack.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";

/** Makes one resource, waits for a file unless it is only previewed, and makes another. */
const program = (file: string, begun: string): string => `
const pulumi = require("@pulumi/pulumi");
const fs = require("node:fs");
const { execFile } = require("node:child_process");
const { promisify } = require("node:util");
new pulumi.ComponentResource("words:index:Part", "first");
module.exports = async () => {
  if (!pulumi.runtime.isDryRun()) {
    fs.appendFileSync(${JSON.stringify(begun)}, "begun\\n");
    await promisify(execFile)("sh", ["-c", ${JSON.stringify(wait(file))}]);
  }
  new pulumi.ComponentResource("words:index:Part", "second");
  return { made: 2 };
};
`;

async function setup() {
  const fleet = await givenFleet();
  await givenPulumiPath();
  const settings = { "allow-file-sources": "yes", groups: "deploy=1" };
  const agent = await givenKillableAgent(fleet, settings);
  await symlink(pulumiModules(), path.join(agent.first.dataDir, "node_modules"));
  const [file, begun] = [agent.mark("go-on"), agent.mark("begun")];
  const folder = await givenProgram({ "index.js": program(file, begun) });
  const stack = await givenStack(fleet, agent);
  const names = async () =>
    ((await stack.state())?.urns ?? []).map((urn) => urn.split("::").at(-1));
  const source = { source: { path: folder } };
  return { agent, fleet, file, begun, stack, names, source };
}

describeWithTools(pulumiTools, "an update in the middle of which", () => {
  test("the agent is killed is gone on with by the next agent; what was made is at the broker all the while", async () => {
    const { agent, file, begun, stack, names, source } = await setup();
    const jobId = await agent.enqueue(stack.draft("exec", source));
    await expect.poll(names).toContain("first");
    expect(existsSync(begun)).toBe(true);
    await agent.kill(agent.first);
    expect(await names()).not.toContain("second");
    await writeFile(file, "");
    await agent.again();
    const ended = await agent.ended(jobId);
    expect(ended).toMatchObject({ status: "finished", outputs: { made: 2 } });
    expect(await names()).toEqual(expect.arrayContaining(["first", "second"]));
    expect(await agent.lines("begun")).toEqual(["begun"]);
    expect(await stack.rescued()).toEqual([]);
  });

  test("the job is cancelled leaves what was made at the broker, and the workspace blocked", async () => {
    const { agent, fleet, begun, stack, names, source } = await setup();
    const jobId = await agent.enqueue(stack.draft("exec", source));
    await expect.poll(() => existsSync(begun)).toBe(true);
    await agent.operate(`POST /v1/runner-jobs/${jobId}/cancel`, {});
    const token = agent.operatorToken;
    const workspace = async () => {
      const path = `GET /v1/terraform-workspaces/${stack.workspaceId}`;
      return (await fleet.broker.call(path, { token })).body;
    };
    await expect.poll(workspace).toMatchObject({ block: { kind: "interrupted" }, lock: null });
    expect(await names()).toContain("first");
    expect(await names()).not.toContain("second");
    expect(await stack.rescued()).toEqual([]);
  });

  test("the state becomes another's is told, and what was made is kept aside", async () => {
    const { agent, fleet, file, stack, names, source } = await setup();
    const jobId = await agent.enqueue(stack.draft("exec", source));
    await expect.poll(names).toContain("first");
    await fleet.db`
      update terraform_workspace_states set runner_job_id = null where workspace_id = ${stack.workspaceId}`;
    await writeFile(file, "");
    const ended = await agent.ended(jobId);
    expect(ended.result?.error_metadata).toMatchObject({
      class: "state_push_failed",
      rescued: "at-broker",
    });
    expect(await names()).not.toContain("second");
    expect(await stack.rescued()).toMatchObject([{ runner_job_id: jobId }]);
    const refused = await agent.run(stack.draft("exec", source));
    expect(refused.result?.error_metadata).toMatchObject({ class: "workspace_blocked" });
  });
});
