import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readConfig } from "../../agent/config/read-config.ts";
import { readPodTemplate } from "../../agent/executor/pod-template.ts";
import { executorRights, type Right } from "../../agent/executor/rights.ts";
import type { KubeObject } from "../../agent/kubernetes/kube-object.ts";
import { readYaml } from "../../agent/kubernetes/read-yaml.ts";
import { version } from "../../shared/version.ts";
import { jobReader } from "../support/agent/given-jobs.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { clusterTools, type Kubectl, kubectlAs } from "../support/cluster/given-cluster.ts";
import {
  givenNamespace,
  kubeconfigFor,
  type Namespace,
} from "../support/cluster/given-namespace.ts";
import { startKubelet } from "../support/cluster/start-kubelet.ts";
import {
  chart,
  helm,
  objectOf as one,
  rendered,
  usualValues as usual,
} from "../support/helm/deploy-chart.ts";
import { runTool } from "../support/programs/run-tool.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";

const noDisk = { "ephemeral-storage": null }; // kwok's nodes know of none

/** The files of the chart's ConfigMap, where the agent's settings can name them. */
async function filesOf(config: KubeObject) {
  const folder = await testFolder(0o700);
  const texts = config["data"] as Record<string, string>;
  const at = (name: string): string => path.join(folder, name);
  for (const [name, text] of Object.entries(texts)) await writeFile(at(name), text);
  return { conf: at("agent.conf"), pod: at("pod.yaml") };
}

type Rule = Record<"apiGroups" | "resources" | "verbs", string[]> & { resourceNames?: string[] };

function rightsOf(role: KubeObject): Right[] {
  return (role["rules"] as Rule[]).flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
    verbs.map((verb) => ({
      verb,
      group: apiGroups[0] ?? "",
      resource: resources[0] ?? "",
      ...(resourceNames !== undefined && { name: resourceNames[0] ?? "" }),
    })),
  );
}

describeWithTools(["helm"], "deploy/chart", () => {
  test("is sound, and of the agent's version", async () => {
    expect(await helm(["lint", "--strict", chart], usual)).toContain("0 chart(s) failed");
    const [about] = await readYaml(await readFile(path.join(chart, "Chart.yaml"), "utf8"));
    expect(about?.value).toMatchObject({ version, appVersion: version });
  });

  test.each<[what: string, values: object, words: RegExp]>([
    ["without a broker", { ...usual, broker: { url: "" } }, /broker\/url/],
    ["without a token", { ...usual, token: {} }, /\/token/],
    ["with two tokens", { ...usual, token: { existingSecret: "a", value: "b" } }, /\/token/],
    ["without an image's version", { ...usual, image: { repository: "r" } }, /\/image/],
    ["with a word that it does not know", { ...usual, replicas: 2 }, /replicas/],
    ["with a setting of its own", { ...usual, settings: { "token-file": "/x" } }, /token-file/],
    ["with a setting of two lines", { ...usual, settings: { groups: "a\ntoken = b" } }, /groups/],
  ])("is not installed %s, and says why", async (_, values, words) => {
    await expect(helm(["template", "rel", chart], values)).rejects.toThrow(words);
  });

  test("repeats no token in what it refuses", async () => {
    const values = { ...usual, token: { value: "svc_rt_verysecret" }, image: {} };
    const failed = helm(["template", "rel", chart], values).catch(String);
    expect(await failed).not.toContain("verysecret");
  });

  test("gives the agent settings and a pod template that it takes", async () => {
    const more = { settings: { groups: "deploy=2", "read-only": "yes" } };
    const jobs = { annotations: { a: "b" }, nodeSelector: { c: "d" }, env: [{ name: "E" }] };
    const objects = await rendered({ ...usual, ...more, jobs });
    const { conf, pod } = await filesOf(one(objects, "ConfigMap"));
    const config = readConfig({ config: conf }, {});
    expect(config.warnings).toEqual([]);
    expect(config).toMatchObject({
      brokerUrl: "https://svc.example:8443",
      executor: "kubernetes",
      executorName: "rel-svc-agent",
      executorImage: "registry.example/svc-agent:1.2",
      onSigterm: "leave",
      readOnly: "yes",
      groups: { deploy: 2 },
    });
    expect(await readPodTemplate(pod)).toMatchObject({
      metadata: { annotations: { a: "b" } },
      spec: { nodeSelector: { c: "d" }, serviceAccountName: "rel-svc-agent-jobs" },
    });
  });

  test("gives the agent the rights that it uses, and no others, and its jobs none", async () => {
    const objects = await rendered(usual);
    const rights = rightsOf(one(objects, "Role"));
    expect(rights).toEqual(executorRights("rel-svc-agent"));
    const bindings = objects.filter(({ kind }) => /Binding$|^ClusterRole/.test(kind));
    expect(bindings).toHaveLength(1);
    const accounts = bindings.flatMap((binding) => binding["subjects"] as { name: string }[]);
    expect(accounts.map(({ name }) => name)).toEqual(["rel-svc-agent"]);
  });

  test("lets nobody in, and asks the broker by its own port", async () => {
    const objects = await rendered(usual);
    const policies = ["rel-svc-agent", "rel-svc-agent-jobs"].map((name) =>
      one(objects, "NetworkPolicy", name),
    );
    for (const policy of policies) {
      expect(policy["spec"]).toMatchObject({ policyTypes: ["Ingress", "Egress"] });
      expect(policy["spec"]).not.toHaveProperty("ingress");
    }
    expect(JSON.stringify(policies[0])).toContain('"port":8443');
    const without = await rendered({ ...usual, networkPolicy: { enabled: false } });
    expect(without.filter(({ kind }) => kind === "NetworkPolicy")).toEqual([]);
  });
});

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

/** The chart in a namespace of the real API server, and who its agent is there. */
async function givenInstalled(at: Namespace, values: object) {
  const env = { KUBECONFIG: at.kubeconfig };
  const words = ["rel", chart, "--namespace", at.name, "--wait", "--timeout", "120s"];
  await helm(["install", ...words], { ...usual, ...values }, env);
  const tokenOf = async (account: string) =>
    (await at.kubectl(["create", "token", account])).trim();
  const kubeconfigOf = async (account: string) =>
    await kubeconfigFor(at.name, await tokenOf(account));
  const config = await at.kubectl(["get", "configmap", "rel-svc-agent", "-o", "json"]);
  return {
    env,
    words,
    kubeconfig: await kubeconfigOf("rel-svc-agent"),
    ofJobs: await kubeconfigOf("rel-svc-agent-jobs"),
    files: await filesOf(JSON.parse(config) as KubeObject),
  };
}

const words = (line: string): string[] => line.split(" ");
const kindOf = (error: unknown): string => /Forbidden|NotFound/.exec(String(error))?.[0] ?? "";

describeWithTools([...clusterTools, "helm"], "an installed chart", () => {
  test("has an agent whose account can do all of its work, and nothing else", async () => {
    const runner = await fleet.addRunner({ parallelism: { actions: 2 } });
    const at = await givenNamespace();
    const kubelet = await startKubelet(at);
    const given = await givenInstalled(at, {
      broker: { url: fleet.broker.url },
      token: { value: runner.token },
      settings: { groups: "actions=2" },
      jobs: {
        annotations: { "svc.test/pod": "real" },
        resources: { requests: noDisk, limits: noDisk },
      },
    });
    // The image is not to be had here: its program runs as a process of this machine, by the account and settings of the chart.
    const tokenFile = path.join(await testFolder(0o700), "token");
    const encoded = await at.kubectl(
      words("get secret rel-svc-agent-token -o jsonpath={.data.token}"),
    );
    await writeFile(tokenFile, Buffer.from(encoded, "base64"));
    const agent = await startAgentProcess({
      url: fleet.broker.url,
      env: { KUBECONFIG: given.kubeconfig },
      settings: {
        config: given.files.conf,
        "token-file": tokenFile,
        "executor-pod": given.files.pod,
      },
    });
    const reader = jobReader(fleet, runner);
    const steps = [{ name: "only", interpolated_inline_contents: "echo in its pod" }];
    const job = await reader.runSteps(steps);
    expect(job).toMatchObject({ status: "finished" });
    expect(await reader.logOf(job.id)).toContain("in its pod");
    expect(kubelet.begun).toHaveLength(1);
    agent.kill("SIGTERM");
    expect(await agent.ended).toBe(0);

    const asAgent = kubectlAs(given.kubeconfig);
    const asJob = kubectlAs(given.ofJobs);
    const secrets = (await at.kubectl(["get", "secrets", "-o", "name"])).trim().split("\n");
    expect(secrets).toContain("secret/rel-svc-agent-state");
    expect(secrets.length).toBeGreaterThan(2);
    const reached = async (as: Kubectl) =>
      await Promise.all(
        secrets.map(async (name) => await as(["get", name]).then(() => name, kindOf)),
      );
    const denied = secrets.map(() => "Forbidden");
    const own = secrets.indexOf("secret/rel-svc-agent-state");
    expect(await reached(asAgent)).toEqual(denied.with(own, "secret/rel-svc-agent-state"));
    expect(await reached(asJob)).toEqual(denied);
    for (const what of ["secrets", "pods", "jobs"]) {
      await expect(asAgent(["get", what, "-n", "default"])).rejects.toThrow("Forbidden");
      await expect(asJob(["get", what])).rejects.toThrow("Forbidden");
    }
    await expect(asAgent(["get", "secrets"])).rejects.toThrow("Forbidden");
    await expect(asAgent(["create", "configmap", "x"])).rejects.toThrow("orbidden");
    await expect(asAgent(["run", "x", "--image=x"])).rejects.toThrow("orbidden");
  });

  test("is upgraded and uninstalled, and leaves the identity of the agent", async () => {
    const at = await givenNamespace();
    await at.kubectl(["create", "secret", "generic", "runner-token", "--from-literal=token=x"]);
    const { env, words: release } = await givenInstalled(at, {});
    const changed = { ...usual, settings: { groups: "deploy=1" } };
    await helm(["upgrade", ...release], changed, env);
    const conf = await at.kubectl(["get", "configmap", "rel-svc-agent", "-o", "yaml"]);
    expect(conf).toContain("groups = deploy=1");
    await runTool("helm", ["uninstall", "rel", "--namespace", at.name, "--wait"], { env });
    const left = await at.kubectl(["get", "deploy,role,networkpolicy", "-o", "name"]);
    expect(left.trim()).toBe("");
  });
});
