import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runTool } from "../support/programs/run-tool.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";

const policy = `package main
import rego.v1
deny contains msg if {
  some change in input.resource_changes
  change.type == "aws_s3_bucket"
  msg := sprintf("%s is a bucket", [change.address])
}
`;

async function givenPolicy(): Promise<{ cwd: string; write: (type: string) => Promise<void> }> {
  const cwd = await testFolder();
  await writeFile(path.join(cwd, "policy.rego"), policy);
  const write = async (type: string): Promise<void> => {
    const plan = { resource_changes: [{ address: `${type}.it`, type }] };
    await writeFile(path.join(cwd, "plan.json"), JSON.stringify(plan));
  };
  return { cwd, write };
}

describeWithTools(["opa"], "opa", () => {
  test("denies what the policy denies, and nothing else", async () => {
    const { cwd, write } = await givenPolicy();
    const args = ["eval", "-d", "policy.rego", "-i", "plan.json", "-f", "raw", "data.main.deny"];
    await write("aws_s3_bucket");
    expect(await runTool("opa", args, { cwd })).toContain("aws_s3_bucket.it is a bucket");
    await write("null_resource");
    expect((await runTool("opa", args, { cwd })).trim()).toBe("[]");
  });
});

describeWithTools(["conftest"], "conftest", () => {
  test("fails for what the policy denies, and for nothing else", async () => {
    const { cwd, write } = await givenPolicy();
    const args = ["test", "-p", ".", "plan.json", "-o", "json"];
    await write("aws_s3_bucket");
    await expect(runTool("conftest", args, { cwd })).rejects.toThrow(/it is a bucket/);
    await write("null_resource");
    expect(JSON.parse(await runTool("conftest", args, { cwd }))).toMatchObject([{ successes: 1 }]);
  });
});
