import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findTool } from "../test/tools/find-tool.ts";
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

const kinds = ["secret", "broker", "hand"] as const;
type Ground = {
  readonly connection: Connection;
  readonly timing: Timing;
  readonly cluster: BenchCluster;
  readonly chart: string;
  readonly chartId: string;
};
type Took = Record<(typeof kinds)[number], number[]>;

const template = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-{{ . }}}
data: {word: {{ $.Values.word | quote }}}
`;

/** What an upgrade of ten objects takes as a job, with the diff that comes first, and by helm alone, in turns. */
export const helm: Bench = {
  what: "a helm upgrade of ten ConfigMaps, as a job by either driver and by helm alone",
  run: async ({ seconds, warmUpS }, tell) => {
    // Agents find it on their PATH.
    process.env["PATH"] = [path.dirname(findTool("helm") ?? ""), process.env["PATH"]].join(":");
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 1, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const [seat] = fleet.agents;
      if (seat === undefined) return;
      const agent = await startLoneAgent({ url: broker.url, ...agentProgram() }, seat, [
        "--allow-file-sources=yes",
      ]);
      const cluster = await givenCluster(kinds);
      const chart = await givenChart();
      const asked = requestText("POST /v1/helm-charts", fleet.adminToken, "{}");
      const { id: chartId } = JSON.parse((await connection.send(asked)).body) as { id: string };
      const timing = { fleet, agent: seat };
      const ground = { connection, timing, cluster, chart, chartId };
      await inTurns(ground, warmUpS);
      const took = await inTurns(ground, seconds);
      const alone = quantile(took.hand, 0.5);
      const note = `${took.hand.length} times`;
      tell({ figure: "by helm alone, p50", value: alone, unit: "ms", note });
      for (const [kind, atMost] of [
        ["secret", 1.1],
        ["broker", 1.2],
      ] as const) {
        const value = quantile(took[kind], 0.5);
        tell({ figure: `as a job, driver ${kind}, p50`, value, unit: "ms" });
        tell({ figure: `${kind}: ratio`, value: value / alone, unit: "", target: { atMost } });
      }
      await agent.end();
      await cluster.end();
      await rm(chart, { recursive: true });
      connection.close();
    });
  },
};

async function givenChart(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  await mkdir(path.join(folder, "templates"));
  const all = template.replace("{{ .Release.Name }}", "{{ $.Release.Name }}");
  const objects = `{{- range until 10 }}\n---\n${all}{{- end }}\n`;
  await writeFile(path.join(folder, "Chart.yaml"), "apiVersion: v2\nname: ten\nversion: 1.0.0\n");
  await writeFile(path.join(folder, "templates", "all.yaml"), objects);
  return folder;
}

async function inTurns(ground: Ground, seconds: number): Promise<Took> {
  const took: Took = { secret: [], broker: [], hand: [] };
  const untilMs = performance.now() + seconds * 1000;
  for (let nth = 0; performance.now() < untilMs; nth++) {
    for (const kind of kinds) {
      const startedMs = performance.now();
      const word = `${seconds}-${nth}`;
      await (kind === "hand" ? byHand(ground, word) : asJob(ground, kind, word));
      took[kind].push(performance.now() - startedMs);
    }
  }
  return took;
}

async function byHand({ cluster, chart }: Ground, word: string): Promise<void> {
  const args = ["upgrade", "app", chart, "--install", "--namespace=hand", `--set=word=${word}`];
  await cluster.by("helm", [...args, "--wait", "--wait-for-jobs", "--history-max=10"]);
}

async function asJob(
  { connection, timing, cluster, chart, chartId }: Ground,
  kind: "secret" | "broker",
  word: string,
): Promise<void> {
  const helm = {
    cluster_info: { kube_config: cluster.kubeconfig },
    name: "app",
    namespace: kind,
    storage_driver: kind,
    helm_chart_id: chartId,
    source: { path: chart },
    values: [{ name: "word", value: word, type: "string" }],
  };
  const job = JSON.stringify({ type: "helm-chart-deploy", operation: "exec", plan: { helm } });
  await waitFor(connection, timing.fleet, await enqueue(connection, timing, job));
}
