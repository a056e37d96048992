import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Connection, openConnection, requestText } from "./http-client.ts";
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
const kinds = ["job", "approved", "hand"] as const;
type Took = Record<(typeof kinds)[number], number[]>;

/**
 * What an apply of 200 objects takes as a job, with its diff and its waiting, and as one of a plan that was made before,
 * against kubectl's, in turns.
 */
export const manifests: Bench = {
  what: "a manifest of 200 objects, as a job and by kubectl apply --server-side",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 1, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const [first] = fleet.agents;
      if (first === undefined) return;
      const agent = await startLoneAgent({ url: broker.url, ...agentProgram() }, first);
      const cluster = await givenCluster(["job", "approved", "by-hand"]);
      const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
      const file = path.join(folder, "manifest.json");
      const ground = { connection, timing: { fleet, agent: first }, cluster, file };
      await inTurns(ground, warmUpS);
      const took = await inTurns(ground, seconds);
      const [asJob = 0, approved = 0, alone = 0] = kinds.map((kind) => quantile(took[kind], 0.5));
      const note = `${took.hand.length} times`;
      tell({ figure: "by kubectl, p50", value: alone, unit: "ms", note });
      const target = { atMost: 1.3 };
      tell({ figure: "as a job, p50", value: asJob, unit: "ms" });
      tell({ figure: "as a job: ratio", value: asJob / alone, unit: "", target });
      tell({ figure: "of an approved plan, p50", value: approved, unit: "ms" });
      tell({ figure: "of an approved plan: ratio", value: approved / alone, unit: "", target });
      await agent.end();
      await cluster.end();
      await rm(folder, { recursive: true });
      connection.close();
    });
  },
};

async function inTurns(ground: Ground, seconds: number): Promise<Took> {
  const took: Took = { job: [], approved: [], hand: [] };
  const untilMs = performance.now() + seconds * 1000;
  for (let nth = 0; performance.now() < untilMs; nth++) {
    const manifest = manifestOf(`${seconds}-${nth}`);
    const apply_plan_contents = await planned(ground, manifest);
    await writeFile(ground.file, manifest);
    const acts = {
      job: async () => await asJob(ground, { manifest, namespace: "job" }),
      approved: async () => await asJob(ground, { manifest, apply_plan_contents, ...approved }),
      hand: async () => await byHand(ground),
    };
    for (const kind of kinds) {
      const startedMs = performance.now();
      await acts[kind]();
      took[kind].push(performance.now() - startedMs);
    }
  }
  return took;
}

async function byHand({ cluster, file }: Ground): Promise<void> {
  const where = ["--namespace=by-hand", `--filename=${file}`];
  await cluster.by("kubectl", ["apply", "--server-side", ...where]);
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

type Wanted = {
  readonly manifest: string;
  readonly namespace: string;
  readonly operation?: string;
  readonly apply_plan_contents?: string;
};

const approved = { namespace: "approved", operation: "apply-plan" };

async function asJob({ connection, timing, cluster }: Ground, wanted: Wanted): Promise<string> {
  const { manifest, namespace, operation = "exec", apply_plan_contents } = wanted;
  const cluster_info = { kube_config: cluster.kubeconfig };
  const kubernetes_manifest = { cluster_info, namespace, manifest, inventory: "bench" };
  const plan = { kubernetes_manifest, apply_plan_contents };
  const job = JSON.stringify({ type: "kubernetes-manifest-deploy", operation, plan });
  const id = await enqueue(connection, timing, job);
  await waitFor(connection, timing.fleet, id);
  return id;
}

/** The contents of a plan that was made just now. */
async function planned(ground: Ground, manifest: string): Promise<string> {
  const { connection, timing } = ground;
  const wanted = { ...approved, manifest, operation: "create-apply-plan" };
  const id = await asJob(ground, wanted);
  const read = async <T>(what: string): Promise<T> => {
    const answer = await connection.send(requestText(what, timing.fleet.adminToken));
    return JSON.parse(answer.body) as T; // as the broker's own documents say
  };
  const path = `GET /v1/runner-jobs/${id}`;
  const { executions } = await read<{ executions: { id: string }[] }>(path);
  const result = `${path}/executions/${executions.at(-1)?.id}/result`;
  return (await read<{ contents_gzip: string }>(result)).contents_gzip;
}
