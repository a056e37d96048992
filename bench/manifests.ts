import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Connection, openConnection } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type BenchCluster, givenCluster } from "./support/given-cluster.ts";
import { givenFleet } from "./support/given-fleet.ts";
import {
  agentProgram,
  enqueue,
  startLoneAgent,
  type Timing,
  waitFor,
} from "./support/lone-agent.ts";
import { withStage } from "./support/stage.ts";

const objects = 200;

type Ground = {
  readonly connection: Connection;
  readonly timing: Timing;
  readonly cluster: BenchCluster;
  readonly file: string;
};
type Took = Record<"job" | "hand", number[]>;

/** What an apply of 200 objects takes as a job, with its diff and its waiting, against kubectl's, in turns. */
export const manifests: Bench = {
  what: "a manifest of 200 objects, as a job and by kubectl apply --server-side",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 1, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const [seat] = fleet.agents;
      if (seat === undefined) return;
      const agent = await startLoneAgent({ url: broker.url, ...agentProgram() }, seat);
      const cluster = await givenCluster(["as-job", "by-hand"]);
      const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
      const file = path.join(folder, "manifest.json");
      const ground = { connection, timing: { fleet, agent: seat }, cluster, file };
      await inTurns(ground, warmUpS);
      const { job, hand } = await inTurns(ground, seconds);
      const [asJob, alone] = [quantile(job, 0.5), quantile(hand, 0.5)];
      const note = `${job.length} times`;
      tell({ figure: "as a job, p50", value: asJob, unit: "ms", note });
      tell({ figure: "by kubectl, p50", value: alone, unit: "ms" });
      tell({ figure: "ratio", value: asJob / alone, unit: "", target: { atMost: 1.3 } });
      await agent.end();
      await cluster.end();
      await rm(folder, { recursive: true });
      connection.close();
    });
  },
};

async function inTurns(ground: Ground, seconds: number): Promise<Took> {
  const took: Took = { job: [], hand: [] };
  const untilMs = performance.now() + seconds * 1000;
  for (let nth = 0; performance.now() < untilMs; nth++) {
    const manifest = manifestOf(`${seconds}-${nth}`);
    const startedMs = performance.now();
    await asJob(ground, manifest);
    const jobMs = performance.now();
    await writeFile(ground.file, manifest);
    await ground.cluster.by("kubectl", [
      "apply",
      "--server-side",
      "--namespace=by-hand",
      `--filename=${ground.file}`,
    ]);
    took.hand.push(performance.now() - jobMs);
    took.job.push(jobMs - startedMs);
  }
  return took;
}

/** Half of them ConfigMaps; the others ServiceAccounts and Services. */
function manifestOf(word: string): string {
  const items = Array.from({ length: objects }, (_, at) => {
    const metadata = { name: `object-${at}`, labels: { word } };
    if (at % 2 === 0) return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { word } };
    if (at % 4 === 1) return { apiVersion: "v1", kind: "ServiceAccount", metadata };
    const spec = { selector: { app: "none" }, ports: [{ port: 80 }] };
    return { apiVersion: "v1", kind: "Service", metadata, spec };
  });
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

async function asJob({ connection, timing, cluster }: Ground, manifest: string): Promise<void> {
  const kubernetes_manifest = {
    cluster_info: { kube_config: cluster.kubeconfig },
    namespace: "as-job",
    manifest,
    inventory: "bench",
  };
  const job = {
    type: "kubernetes-manifest-deploy",
    operation: "exec",
    plan: { kubernetes_manifest },
  };
  await waitFor(connection, timing.fleet, await enqueue(connection, timing, JSON.stringify(job)));
}
