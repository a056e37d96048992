import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import path from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { givenRunnerWithAgent, type RunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { plannedDiff } from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;
const filesAllowed = { "allow-file-sources": "yes" };
const secondNs = 1e9;

vi.setConfig({ testTimeout: 400_000 });

type Kept = { readonly name: string; readonly version: number; readonly status: string };

/** What runs helm jobs whose releases a chart of the broker's keeps. */
async function brokered<S extends Omit<RunnerWithAgent, "agent">>(runner: S) {
  const releases = await releasesOf(runner);
  const { id: helm_chart_id } = await runner.operate("POST /v1/helm-charts");
  const token = runner.operatorToken;
  return {
    ...releases,
    helm: { source: { path: await givenChart() }, helm_chart_id },
    /** The releases that the broker has: revision and status. */
    kept: async (): Promise<string[]> => {
      const asked = `GET /v1/helm-releases?chart_id=${String(helm_chart_id)}`;
      const { body } = await fleet.broker.call<{ items: Kept[] }>(asked, { token });
      return body.items.map(({ version, status }) => `${version} ${status}`).sort();
    },
    /** Names of helm's own objects in the cluster. */
    inCluster: async (): Promise<string[]> => {
      const names = await releases.at.kubectl(["get", "secrets,configmaps", "-o", "name"]);
      return names.split("\n").filter((name) => name.includes("sh.helm.release"));
    },
  };
}

describeWithTools([...clusterTools, "helm"], "a release that the broker keeps", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test("is planned, installed, upgraded, rolled back when that fails, and uninstalled, and the cluster never has it", async () => {
    const runner = await brokered(await givenRunnerWithAgent(fleet, filesAllowed));
    const { release, at, kept, inCluster, helm } = runner;
    const { apply_plan_contents } = plannedDiff(await release("create-apply-plan", helm));
    expect(await kept()).toEqual([]);
    const installed = await release("apply-plan", helm, { apply_plan_contents });
    expect(installed.description).toBe("app is installed: revision 1.");
    expect(installed.outputs).toMatchObject({ revision: 1, status: "deployed" });
    expect(await kept()).toEqual(["1 deployed"]);

    const upgraded = await release("exec", { ...helm, values_files: ["high.yaml"] });
    expect(upgraded.description).toBe("app is upgraded: revision 2.");
    expect(await kept()).toEqual(["1 superseded", "2 deployed"]);

    const bad = { ...helm, values_override: "nowhere: true\nlevel: bad\n" };
    const failed = await release("exec", { ...bad, timeout: 20 * secondNs });
    expect(failed.result?.error_metadata).toMatchObject({ class: "not_ready" });
    expect(failed.description).toContain("It was rolled back to revision 2.");
    expect((await kept()).slice(-2)).toEqual(["3 failed", "4 deployed"]);
    const read = ["get", "configmap", "app-config", "-o", "jsonpath={.data.level}"];
    expect(await at.kubectl(read)).toBe("high");
    expect(await inCluster()).toEqual([]);

    const down = plannedDiff(await release("create-teardown-plan", helm));
    const gone = { apply_plan_contents: down.apply_plan_contents };
    expect((await release("apply-plan", helm, gone)).description).toBe("app is uninstalled.");
    expect(await kept()).toEqual([]);
    expect(await at.kubectl(["get", "deployments,secrets", "-o", "name"])).toBe("");
  });

  test("stays in the cluster where the plan says so, and an unknown driver without a chart is refused", async () => {
    const { release, kept, inCluster, helm } = await brokered(
      await givenRunnerWithAgent(fleet, filesAllowed),
    );
    const installed = await release("exec", { ...helm, storage_driver: "secrets" });
    expect(installed.status).toBe("finished");
    expect(await kept()).toEqual([]);
    expect(await inCluster()).toEqual(["secret/sh.helm.release.v1.app.v1"]);
    const { source } = helm;
    const refused = await release("exec", { source, storage_driver: "broker" });
    expect(refused.description).toMatch(
      /helm\.storage_driver broker is not supported: use secret, configmap/,
    );
  });

  test("of a chart that no plan of the job names is refused before anything is changed", async () => {
    const { release, at, helm } = await brokered(await givenRunnerWithAgent(fleet, filesAllowed));
    const none = { ...helm, helm_chart_id: "hch_00000000000000000000000000" };
    const failed = await release("exec", none);
    expect(failed.description).toMatch(
      /the broker refuses helm's release: This chart does not exist/,
    );
    expect(await at.kubectl(["get", "deployments,secrets", "-o", "name"])).toBe("");
  });

  test("goes on when the agent is killed; nobody else on the host can use its front, and no process shows its token", async () => {
    const { first, kill, again, runDir, ...runner } = await givenKillableAgent(fleet, filesAllowed);
    const { draft, at, enqueue, ended, job, kept, inCluster, helm, logOf } = await brokered(runner);
    const id = await enqueue(draft("exec", { ...helm, values_override: "nowhere: true" }));
    const deployments = async () => await at.kubectl(["get", "deployments", "-o", "name"]);
    await expect.poll(deployments).toContain("app-web");
    const [execution] = (await job(id)).executions;
    const folder = memoryOf(runDir, execution?.id);
    const { server, ca } = frontIn(folder);
    const { origin } = new URL(server);
    const ofSecrets = `/api/v1/namespaces/${at.name}/secrets?labelSelector=owner%3Dhelm`;
    for (const base of [origin, `${origin}/${"0".repeat(48)}`]) {
      expect(await statusOf(`${base}${ofSecrets}`, ca)).toBe(403);
    }
    expect(await statusOf(`${server}${ofSecrets}`, ca)).toBe(200);
    const token = readFileSync(path.join(folder, "token"), "utf8");
    expect(commandLines().join("\n")).toContain("helm-front");
    expect(commandLines().filter((line) => line.includes(token))).toEqual([]);

    await kill(first); // while helm waits
    await at.kubectl(["patch", "deployment", "app-web", "--type=json", "-p", anywhere]);
    await again();
    const end = await ended(id);
    expect(end.description).toBe("app is installed: revision 1.");
    expect((await job(id)).executions).toHaveLength(1);
    expect(await kept()).toEqual(["1 deployed"]);
    expect(await inCluster()).toEqual([]);
    const log = JSON.stringify([await logOf(id), end]);
    expect(log).not.toContain(token);
    expect(log).not.toContain(new URL(server).pathname);
    expect(commandLines().filter((line) => line.includes(folder))).toEqual([]);
  });

  test("is installed although its front is killed while helm waits: another takes its place", async () => {
    const { first: _, runDir, ...runner } = await givenKillableAgent(fleet, filesAllowed);
    const { draft, at, enqueue, ended, job, kept, helm } = await brokered(runner);
    const id = await enqueue(draft("exec", { ...helm, values_override: "nowhere: true" }));
    const deployments = async () => await at.kubectl(["get", "deployments", "-o", "name"]);
    await expect.poll(deployments).toContain("app-web");
    expect(await kept()).toEqual(["1 pending-install"]);
    const folder = memoryOf(runDir, (await job(id)).executions[0]?.id);
    const frontNow = () => processes().find(({ line }) => isFront(line, folder))?.pid;
    const before = frontNow();
    if (before === undefined) throw new Error("there is no front");
    process.kill(before, "SIGKILL");
    const isAnother = () => ![undefined, before].includes(frontNow());
    await expect.poll(isAnother).toBe(true);
    await at.kubectl(["patch", "deployment", "app-web", "--type=json", "-p", anywhere]);
    const end = await ended(id);
    expect(end.description).toBe("app is installed: revision 1.");
    expect(await kept()).toEqual(["1 deployed"]);
  });
});

const anywhere = JSON.stringify([{ op: "remove", path: "/spec/template/spec/nodeSelector" }]);

/** What the agent keeps of an execution in memory. */
function memoryOf(runDir: string, executionId = ""): string {
  const [own = ""] = readdirSync(runDir);
  return path.join(runDir, own, `${executionId}.job`);
}

type Front = { readonly server: string; readonly ca: string };

/** How helm reaches the front of the job that has this folder. */
function frontIn(folder: string): Front {
  const text = readFileSync(path.join(folder, "helm-front.kubeconfig"), "utf8");
  const { clusters } = JSON.parse(text) as { clusters: { cluster: Record<string, string> }[] };
  const { server = "", "certificate-authority-data": ca = "" } = clusters[0]?.cluster ?? {};
  return { server, ca: Buffer.from(ca, "base64").toString() };
}

async function statusOf(url: string, ca: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const answered = ({ statusCode }: IncomingMessage): void => resolve(statusCode);
  https.get(url, { ca, agent: false }, answered).on("error", reject);
  return await promise;
}

const isFront = (line: string, folder: string): boolean =>
  /helm-front /.test(line) && line.includes(folder) && /^\S*node /.test(line);

type Seen = { readonly pid: number; readonly line: string };

/** What runs on this host, and how it was called. */
function processes(): Seen[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return [{ pid: Number(name), line }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

const commandLines = (): string[] => processes().map(({ line }) => line);
