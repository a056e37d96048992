import { cp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { givenFleet } from "../support/broker/given-fleet.ts";
import { clusterTools } from "../support/cluster/given-cluster.ts";
import { givenNamespace } from "../support/cluster/given-namespace.ts";
import { configMap, manifestOf } from "../support/manifests/given-manifests.ts";
import { svc, type SvcOptions } from "../support/programs/svc.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";

const example = path.join(import.meta.dirname, "..", "..", "examples", "manifest-hello");

vi.setConfig({ testTimeout: 240_000 });

/** A runner whose agent has no cluster of its own, a namespace, and svc for it. */
async function setup(agentEnv: Readonly<Record<string, string>> = {}) {
  const fleet = await givenFleet();
  const runner = await fleet.addRunner();
  const at = await givenNamespace();
  const url = fleet.broker.url;
  await startAgentProcess({
    url,
    env: { SVC_AGENT_TOKEN: runner.token, ...agentEnv },
    settings: { groups: "deploy=1" },
  });
  const env = { SVC_URL: url, SVC_TOKEN: runner.operatorToken };
  const to = ["--runner", runner.runnerId];
  const mine = [...to, "--kubeconfig", at.kubeconfig];
  const run = async (words: readonly string[], options: SvcOptions = {}) =>
    await svc(["manifest", ...words], { ...options, env });
  const read = async (name: string, key: string) =>
    await at.kubectl([
      "get",
      "configmap",
      name,
      "-o",
      `jsonpath={.data.${key}}`,
      "--ignore-not-found",
    ]);
  return { at, to, mine, run, read };
}

describeWithTools(clusterTools, "svc manifest", () => {
  test("shows, asks, applies exactly that, prunes by a name, and deletes", async () => {
    const { mine, run, read } = await setup();
    const folder = await testFolder();
    await cp(example, folder, { recursive: true });
    const named = [folder, ...mine, "--name", "hello"];

    const shown = await run(["diff", ...named, "--detailed-exitcode"]);
    expect(shown).toMatchObject({ code: 7 });
    expect(shown.out).toMatch(/^\+ ConfigMap .+\/hello \(create\)$/m);
    expect(shown.out).toContain("      greeting: Hello, world!");
    expect(shown.out).toContain("Plan: 1 to create.");
    const refused = await run(["apply", ...named], { input: "no\n" });
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/Nothing was applied\. Later: svc manifest apply --job job_\w+/);
    expect(await read("hello", "greeting")).toBe("");

    const jobId = /--job (job_\w+)/.exec(shown.err)?.[1] ?? "";
    const applied = await run(["apply", "--job", jobId], { input: "yes\n" });
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.out).toContain("created = 1");
    expect(await read("hello", "greeting")).toBe("Hello, world!");
    const stale = await run(["apply", "--job", jobId, "--auto-approve"]);
    expect(stale.code).toBe(1);
    expect(stale.err).toContain("The changes are not what was approved");
    const calm = await run(["apply", ...named]);
    expect(calm).toMatchObject({ code: 0 });
    expect(calm.err).toContain("There is nothing to apply.");
    expect((await run(["diff", ...named, "--detailed-exitcode"])).code).toBe(0);

    await rm(path.join(folder, "greeting.yaml"));
    await writeFile(path.join(folder, "other.yaml"), configMap("other", { a: "b" }));
    const pruned = await run(["apply", ...named, "--prune"], { input: "yes\n" });
    expect(pruned).toMatchObject({ code: 0 });
    expect(pruned.out).toMatch(/- ConfigMap .+\/hello \(delete\)/);
    expect([await read("hello", "greeting"), await read("other", "a")]).toEqual(["", "b"]);

    const gone = ["delete", "--name", "hello", ...mine];
    const kept = await run(gone, { input: "\n" });
    expect(kept.err).toMatch(/Later: svc manifest delete --job job_/);
    expect(await read("other", "a")).toBe("b");
    expect(await run([...gone, "--auto-approve"])).toMatchObject({ code: 0 });
    expect(await read("other", "a")).toBe("");
    expect((await run([...gone, "--auto-approve"])).err).toContain("There is nothing to delete.");
  });

  test("takes standard input for the agent's own cluster, and remembers what there is once it has a name", async () => {
    const given = await givenNamespace();
    const { to, run } = await setup({ KUBECONFIG: given.kubeconfig });
    const input = manifestOf(configMap("one", { a: "1" }), configMap("two", { a: "2" }));
    const asked = await run(["apply", "-", ...to], { input });
    expect(asked).toMatchObject({ code: 2, out: "" });
    expect(asked.err).toContain(
      "Standard input is already used for input, so it cannot be used to confirm.",
    );
    expect(await run(["apply", "-f", "-", ...to, "--auto-approve"], { input })).toMatchObject({
      code: 0,
    });
    const names = await given.kubectl(["get", "configmap", "-o", "name"]);
    expect(names).toContain("configmap/two");
    expect(names).not.toContain("svc-inventory");
    const later = ["apply", "-", ...to, "--name", "both", "--auto-approve"];
    const remembered = await run(later, { input });
    expect(remembered.out).toContain("Plan: 2 unchanged, 2 of them to remember by the name.");
    expect(await given.kubectl(["get", "configmap", "-o", "name"])).toContain("svc-inventory");
    expect((await run(later, { input })).err).toContain("There is nothing to apply.");
    const one = configMap("one", { a: "1" });
    const deleted = await run(["delete", "-", ...to, "--auto-approve"], { input: one });
    expect(deleted).toMatchObject({ code: 0 });
    expect(await given.kubectl(["get", "configmap", "-o", "name"])).not.toContain("configmap/one");
  });

  test("shows no value of a secret, whose manager is in the way, and what is wrong by file and line", async () => {
    const { at, mine, run } = await setup();
    const folder = await testFolder();
    const data = { password: Buffer.from("swordfish-in-yaml").toString("base64") };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data };
    await writeFile(path.join(folder, "secret.yaml"), JSON.stringify(secret));
    const shown = await run(["apply", folder, ...mine, "--auto-approve"]);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out).toContain("(secret)");
    expect(shown.out + shown.err).not.toMatch(/swordfish|c3dvcmRmaXNo/);

    await at.kubectl(["create", "configmap", "theirs", "--from-literal=level=1"]);
    const theirs = path.join(folder, "theirs.yaml");
    await writeFile(theirs, configMap("theirs", { level: "2" }));
    const inTheWay = await run(["apply", theirs, ...mine], { input: "yes\n" });
    expect(inTheWay.code).toBe(1);
    expect(inTheWay.out).toContain("data.level is managed by kubectl");
    expect(inTheWay.err).toContain("With --force-conflicts it is taken over from them.");
    const forced = await run(["apply", theirs, ...mine, "--force-conflicts", "--auto-approve"]);
    expect(forced).toMatchObject({ code: 0 });

    await writeFile(theirs, "apiVersion: v1\nkind: ConfigMap\nkind: Secret\nmetadata: {name: x}\n");
    const twice = await run(["diff", theirs, ...mine]);
    expect(twice.code).toBe(1);
    expect(twice.err).toContain("theirs.yaml, document 1, line 3: an object has a duplicate key");
  });
});
