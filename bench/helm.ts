import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { tarArchive } from "../test/support/sources/tar-archive.ts";
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

const kinds = ["secret", "broker", "hand", "shown"] as const;
type Ground = {
  readonly connection: Connection;
  readonly timing: Timing;
  readonly cluster: BenchCluster;
  readonly chart: Chart;
  readonly chartId: string;
};
/** The same chart: in a folder, and as plans hold it. */
type Chart = { readonly folder: string; readonly archive: string };
type Took = Record<(typeof kinds)[number], number[]>;

const template = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-{{ . }}}
data: {word: {{ $.Values.word | quote }}}
`;

/**
 * What an upgrade of ten objects takes as a job, with the diff that comes first, and by hand, in turns: by helm alone,
 * and by helm asked before what it would do.
 */
export const helm: Bench = {
  what: "a helm upgrade of ten ConfigMaps, as a job by either driver and by helm alone",
  run: async ({ seconds, warmUpS }, tell) => {
    // Agents find it on their PATH.
    process.env["PATH"] = [path.dirname(findTool("helm") ?? ""), process.env["PATH"]].join(":");
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 1, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const [first] = fleet.agents;
      if (first === undefined) return;
      const agent = await startLoneAgent({ url: broker.url, ...agentProgram() }, first);
      const cluster = await givenCluster(kinds);
      const chart = await givenChart();
      const asked = requestText("POST /v1/helm-charts", fleet.adminToken, "{}");
      const { id: chartId } = JSON.parse((await connection.send(asked)).body) as { id: string };
      const timing = { fleet, agent: first };
      const ground = { connection, timing, cluster, chart, chartId };
      await inTurns(ground, warmUpS);
      const took = await inTurns(ground, seconds);
      const [alone, shown] = [quantile(took.hand, 0.5), quantile(took.shown, 0.5)];
      const note = `${took.hand.length} times`;
      tell({ figure: "by helm alone, p50", value: alone, unit: "ms", note });
      tell({ figure: "by helm after its dry run, p50", value: shown, unit: "ms" });
      for (const [kind, atMost] of [
        ["secret", 1.1],
        ["broker", 1.2],
      ] as const) {
        const value = quantile(took[kind], 0.5);
        tell({ figure: `as a job, driver ${kind}, p50`, value, unit: "ms" });
        tell({ figure: `${kind}: ratio`, value: value / alone, unit: "", target: { atMost } });
        tell({ figure: `${kind}: ratio to both calls`, value: value / shown, unit: "" });
      }
      await agent.end();
      await cluster.end();
      await rm(chart.folder, { recursive: true });
      connection.close();
    });
  },
};

async function givenChart(): Promise<Chart> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  await mkdir(path.join(folder, "templates"));
  const all = template.replace("{{ .Release.Name }}", "{{ $.Release.Name }}");
  const objects = `{{- range until 10 }}\n---\n${all}{{- end }}\n`;
  const entries = [
    { name: "Chart.yaml", text: "apiVersion: v2\nname: ten\nversion: 1.0.0\n" },
    { name: path.join("templates", "all.yaml"), text: objects },
  ];
  for (const { name, text } of entries) await writeFile(path.join(folder, name), text);
  return { folder, archive: gzipSync(tarArchive(entries)).toString("base64") };
}

async function inTurns(ground: Ground, seconds: number): Promise<Took> {
  const took: Took = { secret: [], broker: [], hand: [], shown: [] };
  const untilMs = performance.now() + seconds * 1000;
  for (let nth = 0; performance.now() < untilMs; nth++) {
    for (const kind of kinds) {
      const startedMs = performance.now();
      const word = `${seconds}-${nth}`;
      const isJob = kind === "secret" || kind === "broker";
      await (isJob ? asJob(ground, kind, word) : byHand(ground, kind, word));
      took[kind].push(performance.now() - startedMs);
    }
  }
  return took;
}

async function byHand(
  { cluster, chart }: Ground,
  kind: "hand" | "shown",
  word: string,
): Promise<void> {
  const args = ["upgrade", "app", chart.folder, "--install", `--namespace=${kind}`];
  args.push(`--set=word=${word}`);
  if (kind === "shown") await cluster.by("helm", [...args, "--dry-run=server", "-o", "json"]);
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
    source: { archive: chart.archive },
    values: [{ name: "word", value: word, type: "string" }],
  };
  const job = JSON.stringify({ type: "helm-chart-deploy", operation: "exec", plan: { helm } });
  await waitFor(connection, timing.fleet, await enqueue(connection, timing, job));
}
