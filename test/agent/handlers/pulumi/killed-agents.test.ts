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

describeWithTools(pulumiTools, "an agent that is killed in the middle of an update", () => {
  test("is followed by one that goes on with it; what was made is at the broker all the while", async () => {
    const fleet = await givenFleet();
    await givenPulumiPath();
    const settings = { "allow-file-sources": "yes", groups: "deploy=1" };
    const agent = await givenKillableAgent(fleet, settings);
    await symlink(pulumiModules(), path.join(agent.first.dataDir, "node_modules"));
    const [file, begun] = [agent.mark("go-on"), agent.mark("begun")];
    const folder = await givenProgram({ "index.js": program(file, begun) });
    const stack = await givenStack(fleet, agent);
    const jobId = await agent.enqueue(stack.draft("exec", { source: { path: folder } }));
    const names = async () =>
      ((await stack.state())?.urns ?? []).map((urn) => urn.split("::").at(-1));
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
});
