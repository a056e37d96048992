import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { givenFleet } from "../../../support/broker/given-fleet.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import {
  givenProgram,
  givenPulumiPath,
  pulumiLock,
  pulumiTools,
} from "../../../support/pulumi/given-pulumi.ts";
import { givenStack, summaryOf } from "../../../support/pulumi/given-stack.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { startRegistry } from "../../../support/sources/start-registry.ts";

const program = `
const pulumi = require("@pulumi/pulumi");
exports.region = new pulumi.Config("cloud").require("region");
exports.told = process.env.TOLD;
`;

describeWithTools([...pulumiTools, "registry"], "a sandbox that is a stack of Pulumi", () => {
  test("runs from its artifact alone, with the members of its own plan", async () => {
    const fleet = await givenFleet();
    await givenPulumiPath();
    const registry = await startRegistry({ isOfFile: true });
    const runner = await givenBuilds(fleet, registry);
    const pins = ["package.json", "package-lock.json"];
    const texts = await Promise.all(
      pins.map(async (name) => [name, await readFile(path.join(pulumiLock(), name), "utf8")]),
    );
    const files = { "index.js": program, ...(Object.fromEntries(texts) as Record<string, string>) };
    const built = await runner.build("pulumi-build", {
      source: { path: await givenProgram(files) },
    });
    expect(built.description).toMatch(/^It is built/);
    const stack = await givenStack(fleet, runner);
    const { src_registry, src_tag, src_digest } = runner.placeOf(built);
    const oci_source = { registry: src_registry, tag: src_tag, digest: src_digest };
    const ask = async (operation: string, more: object = {}) =>
      await runner.run(
        stack.draft(
          operation,
          { oci_source },
          {
            type: "sandbox-pulumi",
            stack: { config: { "cloud:region": "here" }, pulumi_version: "3.190", ...more },
            body: { env_vars: { TOLD: "yes", PULUMI_BACKEND_URL: "file:///elsewhere" } },
          },
        ),
      );
    const ran = await ask("exec");
    expect(ran).toMatchObject({ status: "finished", outputs: { region: "here", told: "yes" } });
    expect(summaryOf(ran)).toMatchObject({ tool: "pulumi", pulumi_version: "3.190.0" });
    expect((await stack.state())?.urns).toHaveLength(1);
    const other = await ask("exec", { pulumi_version: "3.1" });
    expect(other.result?.error_metadata).toMatchObject({ reason: "tool_missing" });
    expect(other.description).toContain("this host has pulumi 3.190.0");
  });
});
