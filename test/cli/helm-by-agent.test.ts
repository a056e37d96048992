import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, expect, test, vi } from "vitest";
import { readYaml } from "../../agent/kubernetes/read-yaml.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { clusterTools } from "../support/cluster/given-cluster.ts";
import { givenNamespace } from "../support/cluster/given-namespace.ts";
import { findsHelm, givenChart } from "../support/helm/given-helm.ts";
import { runTool } from "../support/programs/run-tool.ts";
import { svc, type SvcOptions } from "../support/programs/svc.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";

const example = path.join(import.meta.dirname, "..", "..", "examples", "helm-hello");

vi.setConfig({ testTimeout: 240_000 });

describeWithTools([...clusterTools, "helm"], "svc helm", () => {
  let fleet: Fleet;
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  /** A runner with an agent, a namespace, and svc for it. */
  async function setup() {
    const runner = await fleet.addRunner();
    const at = await givenNamespace();
    const { url } = fleet.broker;
    const home = await testFolder();
    await startAgentProcess({
      url,
      env: { SVC_AGENT_TOKEN: runner.token, HOME: home },
      settings: { groups: "deploy=1" },
    });
    const env = { SVC_URL: url, SVC_TOKEN: runner.operatorToken };
    const to = ["--runner", runner.runnerId];
    const mine = [...to, "--kubeconfig", at.kubeconfig, "-n", at.name];
    const run = async (words: readonly string[], options: SvcOptions = {}) =>
      await svc(["helm", ...words], { ...options, env });
    const read = async (name: string, key: string) =>
      await at.kubectl([
        "get",
        "configmap",
        name,
        "-o",
        `jsonpath={.data.${key}}`,
        "--ignore-not-found",
      ]);
    return { at, home, to, mine, run, read };
  }

  test("shows, asks, installs exactly that, upgrades, and uninstalls", async () => {
    const { mine, run, read } = await setup();
    const hello = ["hello", example, ...mine];
    const shown = await run(["diff", ...hello, "--detailed-exitcode"]);
    expect(shown).toMatchObject({ code: 7 });
    expect(shown.out).toContain("      greeting: Hello, world!");
    const jobId = /svc helm upgrade --job (job_\w+)/.exec(shown.err)?.[1] ?? "";
    const refused = await run(["upgrade", "--job", jobId], { input: "y\n" });
    expect(refused.code).toBe(1);
    expect(await read("hello-greeting", "greeting")).toBe("");
    const installed = await run(["upgrade", "--job", jobId], { input: "yes\n" });
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.err).toContain("hello is installed: revision 1.");
    expect(installed.out).toMatch(/revision = 1\n[^]+\n\nRead it: kubectl get/);
    const stale = await run(["upgrade", "--job", jobId, "--auto-approve"]);
    expect(stale.code).toBe(1);
    expect(stale.err).toContain("The changes are not what was approved");

    const values = path.join(await testFolder(), "values.yaml");
    await writeFile(values, "name: file");
    const upgrade = ["upgrade", ...hello, "-f", values, "--install", "--wait"];
    const upgraded = await run(upgrade, { input: "yes\n" });
    expect(upgraded).toMatchObject({ code: 0 });
    expect(upgraded.out).toContain('data.greeting: "Hello, world!" -> "Hello, file!"');
    expect(await read("hello-greeting", "greeting")).toBe("Hello, file!");
    const calm = await run(["upgrade", ...hello, "--set", "name=file"]);
    expect(calm).toMatchObject({ code: 0 });
    expect(calm.err).toContain("There is nothing to apply");

    const other = await run(["diff", "hello", "--uninstall", ...mine]);
    const uninstallJob = /svc helm uninstall --job (job_\w+)/.exec(other.err)?.[1] ?? "";
    const wrong = await run(["upgrade", "--job", uninstallJob, "--auto-approve"]);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain(`Apply it: svc helm uninstall --job ${uninstallJob}`);
    const gone = await run(["uninstall", "hello", ...mine], { input: "yes\n" });
    expect(gone).toMatchObject({ code: 0 });
    expect(await read("hello-greeting", "greeting")).toBe("");
    const nothing = await run(["uninstall", "hello", ...mine]);
    expect(nothing).toMatchObject({ code: 0 });
    expect(nothing.err).toContain("There is nothing to uninstall.");
  });

  test("prints no value of a secret, whichever way it was given", async () => {
    const { at, mine, run } = await setup();
    const chart = await givenChart();
    const file = path.join(await testFolder(), "password");
    await writeFile(file, "swordfish-by-file");
    const ways = [
      ["--set", "password=swordfish-by-flag"],
      ["--set-file", `password=${file}`],
      ["-f", "-"],
    ];
    for (const way of ways) {
      const input = "password: swordfish-by-input\n";
      const set = await run(["upgrade", "app", chart, ...mine, ...way, "--auto-approve"], {
        input,
      });
      expect(set).toMatchObject({ code: 0 });
      expect(set.out + set.err).not.toContain("swordfish");
    }
    const kept = await at.kubectl(["get", "secret", "app-secret", "-o", "jsonpath={.data.key}"]);
    expect(Buffer.from(kept, "base64").toString()).toBe("swordfish-by-input");
  });

  test("sets by --set-json what helm sets by it: over files of values, and under --set", async () => {
    const { at, mine, run, read } = await setup();
    const chart = await givenChart();
    const values = path.join(await testFolder(), "values.yaml");
    await writeFile(values, "level: by file\nlist: [by file]\npassword: by-file\n");
    const list = '[1.50,"two, with a comma",{"three":[null,true]}]';
    const sets = [
      "--set-json",
      `list=${list},password="by-json"`,
      "--set-json",
      '{"level":"by json"}',
    ];
    const flags = ["-f", values, ...sets, "--set", "level=by-set"];
    const shown = await run(["diff", "app", chart, ...mine, ...flags]);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out + shown.err).not.toContain("by-json"); // it is a secret's
    const installed = await run(["upgrade", "app", chart, ...mine, ...flags, "--auto-approve"]);
    expect(installed).toMatchObject({ code: 0 });
    const only = ["--show-only", "templates/config.yaml"];
    const byHelm = await runTool("helm", ["template", "app", chart, ...flags, ...only]);
    const [config] = await readYaml(byHelm);
    const made = {
      level: await read("app-config", "level"),
      list: await read("app-config", "list"),
    };
    expect(config?.value).toMatchObject({ data: made });
    expect(made).toEqual({
      level: "by-set",
      list: '[1.5,"two, with a comma",{"three":[null,true]}]',
    });
    const kept = await at.kubectl(["get", "secret", "app-secret", "-o", "jsonpath={.data.key}"]);
    expect(Buffer.from(kept, "base64").toString()).toBe("by-json");
  });

  test("deploys anew what is as it was, where the last upgrade failed", async () => {
    const { at, mine, run } = await setup();
    const upgrade = ["upgrade", "hello", example, ...mine, "--auto-approve"];
    expect(await run(upgrade)).toMatchObject({ code: 0 });
    const record = await at.kubectl(["get", "secret", "sh.helm.release.v1.hello.v1", "-o", "json"]);
    await at.kubectl(["create", "-f", "-"], failedRevision(record));
    const again = await run(upgrade);
    expect(again).toMatchObject({ code: 0 });
    expect(again.err).toContain("hello is upgraded: revision 3.");
  });

  test("finds the cluster of the agent's home where no context is sent", async () => {
    const { at, home, to, run, read } = await setup();
    await mkdir(path.join(home, ".kube"));
    await cp(at.kubeconfig, path.join(home, ".kube", "config"));
    const own = ["hello", example, ...to, "-n", at.name, "--auto-approve"];
    expect(await run(["upgrade", ...own])).toMatchObject({ code: 0 });
    expect(await read("hello-greeting", "greeting")).toBe("Hello, world!");
  });

  test("says what is wrong with a chart in one line", async () => {
    const { mine, run } = await setup();
    const chart = await givenChart({ "bad.yaml": "{{ fail `that cannot be` }}" });
    const bad = await run(["diff", "app", chart, ...mine]);
    expect(bad.code).toBe(1);
    expect(bad.err).toMatch(/The chart cannot be rendered: .+that cannot be/);
  });
});

type HelmSecret = {
  readonly type: string;
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly data: { readonly release: string };
};
type Release = { readonly info: object; readonly version: number };

/** Helm's record of a second revision that failed after the first: JSON, with gzip, in base64, as a secret's value. */
function failedRevision(first: string): string {
  const { type, metadata, data } = JSON.parse(first) as HelmSecret;
  const packed = Buffer.from(Buffer.from(data.release, "base64").toString(), "base64");
  const release = JSON.parse(gunzipSync(packed).toString()) as Release;
  const failed = { ...release, version: 2, info: { ...release.info, status: "failed" } };
  const text = gzipSync(JSON.stringify(failed)).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    type,
    metadata: {
      name: "sh.helm.release.v1.hello.v2",
      labels: { ...metadata.labels, status: "failed", version: "2" },
    },
    data: { release: Buffer.from(text).toString("base64") },
  });
}
