import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { Judgement } from "../../shared/policies/judge-policies.ts";
import { svc } from "../support/programs/svc.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";
import { tool } from "../tools/find-tool.ts";

const policy = (name: string, type: string, rules: string) =>
  `[[policy]]\nname = "${name}"\ntype = "${type}"\ncontents = '''\npackage svc\n${rules}\n'''\n`;

async function givenApp(...policies: readonly string[]): Promise<string> {
  const folder = await testFolder();
  await mkdir(path.join(folder, "components"), { recursive: true });
  await writeFile(path.join(folder, "metadata.toml"), 'name = "shop"\n');
  await writeFile(path.join(folder, "policies.toml"), policies.join(""));
  return folder;
}

const noBuckets = policy(
  "no-buckets",
  "terraform_module",
  'deny contains msg if { some c in input.plan.resource_changes; c.type == "bucket"; msg := sprintf("%s has %s", [c.address, c.change.after.key]) }',
);
const warns = policy("warns", "container_image", 'warn contains "it is old" if input.age > 3');

describeWithTools(["opa"], "svc policy test", () => {
  const run = (line: readonly string[]) => svc(line, { env: { SVC_OPA: tool("opa") } });

  test("says what policies deny of a plan, without what terraform hides, by its exit code and as JSON", async () => {
    const folder = await givenApp(noBuckets, warns);
    const plan = path.join(folder, "plan.json");
    const change = { after: { key: "very-dark" }, after_sensitive: { key: true } };
    const resource_changes = [{ address: "bucket.a", type: "bucket", change }];
    await writeFile(plan, JSON.stringify({ resource_changes }));
    const line = ["policy", "test", folder, "--input", plan, "--type", "terraform_module"];
    expect(await run(line)).toEqual({
      code: 1,
      out: "deny  no-buckets: bucket.a has (secret)\n",
      err: "deny: 1 deny, 0 warn, 0 pass.\n",
    });
    const json = await run([...line, "-o", "json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out) as Judgement).toMatchObject({ status: "deny", deny_count: 1 });
    await writeFile(plan, '{"resource_changes": []}');
    expect(await run(line)).toMatchObject({ code: 0, out: "pass  no-buckets\n" });
  });

  test("a warning is no failure; what is no JSON, and what is not there, is told", async () => {
    const folder = await givenApp(warns);
    const input = path.join(folder, "input.json");
    await writeFile(input, '{"age": 4}');
    const line = ["policy", "test", folder, "--component", "any", "--input"];
    expect(await run([...line, input])).toMatchObject({ code: 0, out: "warn  warns: it is old\n" });
    await writeFile(input, "{");
    expect(await run([...line, input])).toMatchObject({ code: 2, out: "" });
    expect((await run([...line, `${input}.none`])).err).toContain("cannot be read");
  });

  test("checks the text of all, and says where it is wrong", async () => {
    const folder = await givenApp(warns, policy("bad", "pulumi", "deny contains nothing(1)"));
    expect(await run(["policy", "test", folder])).toEqual({
      code: 1,
      out: "bad:2: bad_rego: undefined function nothing\n",
      err: "2 policies: 1 fault.\n",
    });
    expect(await run(["policy", "test", await givenApp(warns)])).toMatchObject({ code: 0 });
  });
});

test("without OPA it says what to install", async () => {
  const ended = await svc(["policy", "test", await givenApp(warns)], {
    env: { SVC_OPA: "/nowhere/opa" },
  });
  expect(ended).toMatchObject({ code: 2, out: "" });
  expect(ended.err).toContain("Install OPA 1.0 or later");
});
