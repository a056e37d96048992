import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { clusterTools, ownClusterTools } from "../support/cluster/given-cluster.ts";
import { givenAccount, givenNamespace, givenPodLogs } from "../support/cluster/given-namespace.ts";
import { writeChart } from "../support/manifests/write-chart.ts";
import { runTool } from "../support/programs/run-tool.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";
import { tool } from "./find-tool.ts";

const run = promisify(execFile);

describeWithTools(clusterTools, "the cluster of the tests", () => {
  test("a deployment becomes available, and its pods are ready", async () => {
    const { kubectl } = await givenNamespace();
    await kubectl(["create", "deployment", "web", "--image=web", "--replicas=2"]);
    const told = await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    expect(told).toContain("successfully rolled out");
    const ready = "jsonpath={.items[*].status.containerStatuses[*].ready}";
    expect(await kubectl(["get", "pods", "-o", ready])).toBe("true true");
  });

  test("a job completes, and its pod has succeeded", async () => {
    const { kubectl } = await givenNamespace();
    await kubectl(["create", "job", "once", "--image=once"]);
    await kubectl(["wait", "--for=condition=Complete", "job/once", "--timeout=60s"]);
    expect(await kubectl(["get", "pods", "-o", "jsonpath={.items[*].status.phase}"])).toBe(
      "Succeeded",
    );
  });

  test("a job whose pod ends with a code of its own fails", async () => {
    const { kubectl } = await givenNamespace();
    await kubectl(["create", "-f", "-"], jobWith({ "svc.test/exit-code": "3" }));
    await kubectl(["wait", "--for=condition=Failed", "job/it", "--timeout=60s"]);
    const code = "jsonpath={.items[*].status.containerStatuses[*].state.terminated.exitCode}";
    expect(await kubectl(["get", "pods", "-o", code])).toBe("3");
  });

  test("a job's pod that is told to run goes on until it is told otherwise", async () => {
    const { kubectl } = await givenNamespace();
    await kubectl(["create", "-f", "-"], jobWith({ "svc.test/pod": "runs" }));
    await kubectl(["wait", "--for=jsonpath={.status.ready}=1", "job/it", "--timeout=60s"]);
    await kubectl(["annotate", "pods", "--all", "svc.test/pod-"]);
    await kubectl(["wait", "--for=condition=Complete", "job/it", "--timeout=60s"]);
  });

  test("a pod whose image cannot be pulled waits for it", async () => {
    const { kubectl } = await givenNamespace();
    await kubectl(["run", "it", "--image=it", "--annotations=svc.test/pod=no-image"]);
    const waiting = "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}";
    await kubectl(["wait", `${waiting}=ImagePullBackOff`, "pod/it", "--timeout=60s"]);
    expect(await kubectl(["get", "pod", "it", "-o", "jsonpath={.status.phase}"])).toBe("Pending");
  });

  test("a pod that is told to stay unready runs, and is not ready", async () => {
    const { kubectl } = await givenNamespace();
    await kubectl(["run", "it", "--image=it", "--annotations=svc.test/pod=unready"]);
    await kubectl(["wait", "--for=condition=Ready=False", "pod/it", "--timeout=60s"]);
    expect(await kubectl(["get", "pod", "it", "-o", "jsonpath={.status.phase}"])).toBe("Running");
  });

  test("kubectl logs prints what a pod is given to print", async () => {
    const at = await givenNamespace();
    await givenPodLogs(at, ["the first line", "the second line"]);
    await at.kubectl(["run", "talker", "--image=talker"]);
    await at.kubectl(["wait", "--for=condition=Ready", "pod/talker", "--timeout=60s"]);
    await expect
      .poll(async () => await at.kubectl(["logs", "talker"]).catch(String))
      .toBe("the first line\nthe second line\n");
  });

  test("an account may do what its role says and nothing else", async () => {
    const at = await givenNamespace();
    const account = await givenAccount(at, [{ verbs: ["get", "list"], resources: ["pods"] }]);
    expect(await account.kubectl(["get", "pods", "-o", "name"])).toBe("");
    await expect(account.kubectl(["get", "secrets"])).rejects.toThrow(
      /secrets is forbidden: User "system:serviceaccount:/,
    );
    await expect(account.kubectl(["delete", "pod", "any"])).rejects.toThrow(/forbidden/);
  });

  test("what follows a pod's log sees what it has printed", async () => {
    const at = await givenNamespace();
    await givenPodLogs(at, ["the first line", "the second line"]);
    await at.kubectl(["run", "talker", "--image=talker"]);
    await at.kubectl(["wait", "--for=condition=Ready", "pod/talker", "--timeout=60s"]);
    const args = ["logs", "talker", "--follow", "--pod-running-timeout=60s"];
    const env = { ...process.env, KUBECONFIG: at.kubeconfig };
    const child = spawn(tool("kubectl"), args, { env, stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void child.kill());
    const [line] = (await once(createInterface(child.stdout), "line")) as string[];
    expect(line).toBe("the first line");
    expect(child.exitCode).toBeNull();
  });

  test("a namespace goes with what was in it", async () => {
    const { name, kubectl } = await givenNamespace();
    await kubectl(["create", "deployment", "web", "--image=web"]);
    await kubectl(["delete", "namespace", name, "--timeout=60s"]);
    await expect(kubectl(["get", "namespace", name])).rejects.toThrow(/NotFound/);
  });
});

describeWithTools(ownClusterTools, "the process that holds a cluster", () => {
  test("ends every part, and removes the folder, when whoever started it is no more", async () => {
    const folder = path.join(await testFolder(), "cluster");
    await mkdir(folder);
    const holder = path.join(import.meta.dirname, "../support/cluster/hold-cluster.ts");
    const child = spawn(process.execPath, [holder, folder], { stdio: ["pipe", "pipe", "inherit"] });
    expect(await once(createInterface(child.stdout), "line")).toEqual(["ready"]);
    const parts = (await run("pgrep", ["-P", String(child.pid)])).stdout.trim().split("\n");
    expect(parts).toHaveLength(5);
    // What the kernel does to the pipe of a process that was killed.
    child.stdin.destroy();
    await once(child, "exit");
    expect(parts.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });
});

describeWithTools([...clusterTools, "helm"], "helm in the cluster of the tests", () => {
  test("a release waits for its pods, is upgraded, rolled back and removed", async () => {
    const { kubectl, kubeconfig } = await givenNamespace();
    const chart = await writeChart(await testFolder());
    const helm = async (...args: string[]) =>
      await runTool("helm", args, { env: { KUBECONFIG: kubeconfig } });
    const upgrade = ["upgrade", "--install", "web", chart, "--wait", "--timeout=60s"];
    await helm(...upgrade);
    await helm(...upgrade, "--set=replicas=2");
    const replicas = ["get", "deployment", "web", "-o", "jsonpath={.status.readyReplicas}"];
    expect(await kubectl(replicas)).toBe("2");
    await helm("rollback", "web", "1", "--wait", "--timeout=60s");
    const history = JSON.parse(await helm("history", "web", "-o", "json")) as { status: string }[];
    expect(history.map(({ status }) => status)).toEqual(["superseded", "superseded", "deployed"]);
    await helm("uninstall", "web", "--wait");
    expect(await kubectl(["get", "deployments", "-o", "name"])).toBe("");
  });
});

describeWithTools([...clusterTools, "kustomize"], "kustomize", () => {
  test("what it builds is applied", async () => {
    const { kubectl } = await givenNamespace();
    const chart = await writeChart(await testFolder());
    expect(await runTool("kustomize", ["build", `${chart}/overlay`])).toContain("prefix-settings");
    await kubectl(["apply", "-k", `${chart}/overlay`]);
    expect(await kubectl(["get", "configmaps", "-o", "name"])).toContain("prefix-settings");
  });
});

function jobWith(annotations: Readonly<Record<string, string>>, name = "it"): string {
  const spec = { restartPolicy: "Never", containers: [{ name: "main", image: "main" }] };
  const template = { metadata: { annotations }, spec };
  const job = { metadata: { name }, spec: { backoffLimit: 0, template } };
  return JSON.stringify({ apiVersion: "batch/v1", kind: "Job", ...job });
}
