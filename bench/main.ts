import { abuse } from "./abuse.ts";
import { agentAction } from "./agent-action.ts";
import { agentAlone } from "./agent-alone.ts";
import { agentChildren } from "./agent-children.ts";
import { agentOutput } from "./agent-output.ts";
import { appConfigs } from "./app-configs.ts";
import { artifacts } from "./artifacts.ts";
import { builds } from "./builds.ts";
import { dashboards } from "./dashboards.ts";
import { deploys } from "./deploys.ts";
import { emitters } from "./emitters.ts";
import { handOff } from "./hand-off.ts";
import { heartBeats } from "./heart-beats.ts";
import { helm } from "./helm.ts";
import { httpFloor } from "./http-floor.ts";
import { largeBodies } from "./large-bodies.ts";
import { lifeCost } from "./life-cost.ts";
import { livesAgent } from "./lives-agent.ts";
import { livesBatch } from "./lives-batch.ts";
import { livesSingle } from "./lives-single.ts";
import { logIntake } from "./log-intake.ts";
import { logPage } from "./log-page.ts";
import { logPaging } from "./log-paging.ts";
import { logTail } from "./log-tail.ts";
import { loneRequest } from "./lone-request.ts";
import { manifests } from "./manifests.ts";
import { millionLive } from "./million-live.ts";
import { neighbours } from "./neighbours.ts";
import { noise } from "./noise.ts";
import { ordersToAgents } from "./orders.ts";
import { pages } from "./pages.ts";
import { parkLatency } from "./park-latency.ts";
import { planBuilding } from "./plan-building.ts";
import { planViews } from "./plan-views.ts";
import { signalsMillion } from "./signals-million.ts";
import { signalsSingle } from "./signals-single.ts";
import { state } from "./state.ts";
import { stats } from "./stats.ts";
import { type BenchArguments, readBenchArguments } from "./support/bench-arguments.ts";
import { benchUsage } from "./support/bench-usage.ts";
import type { Bench } from "./support/bench.ts";
import { type Figure, figureHead, figureRow } from "./support/figures.ts";
import { watchUse } from "./support/machine-use.ts";
import { machine, machineLine } from "./support/machine.ts";
import { tenMillionEnded } from "./ten-million-ended.ts";
import { terraformRounds } from "./terraform-rounds.ts";
import { terraform } from "./terraform.ts";
import { webhooks } from "./webhooks.ts";
import { workflows } from "./workflows.ts";

const benches = {
  "http-floor": httpFloor,
  "lives-single": livesSingle,
  "lives-agent": livesAgent,
  "lives-batch": livesBatch,
  "life-cost": lifeCost,
  "hand-off": handOff,
  "park-latency": parkLatency,
  "million-live": millionLive,
  emitters,
  "ten-million-ended": tenMillionEnded,
  "signals-single": signalsSingle,
  "signals-million": signalsMillion,
  webhooks,
  workflows,
  builds,
  deploys,
  artifacts,
  "lone-request": loneRequest,
  "heart-beats": heartBeats,
  state,
  stats,
  pages,
  dashboards,
  "app-configs": appConfigs,
  "plan-building": planBuilding,
  "plan-views": planViews,
  "log-intake": logIntake,
  "agent-alone": agentAlone,
  "agent-action": agentAction,
  "agent-children": agentChildren,
  orders: ordersToAgents,
  "log-tail": logTail,
  "log-page": logPage,
  "log-paging": logPaging,
  "agent-output": agentOutput,
  neighbours,
  "large-bodies": largeBodies,
  terraform,
  manifests,
  "terraform-rounds": terraformRounds,
  helm,
  abuse,
  noise,
} as const satisfies Record<string, Bench>;

const read = readBenchArguments(process.argv.slice(2), Object.keys(benches));

if (read.kind === "help") process.stdout.write(benchUsage(benches));
else if (read.kind === "run") await runAll(read);
else {
  process.stderr.write(`${read.line}\n`);
  process.exitCode = 2;
}

async function runAll({ names, isJson, options }: Running): Promise<void> {
  const host = machine();
  const figures: Figure[] = [];
  if (!isJson) process.stdout.write(`${machineLine(host)}\n\n${figureHead}\n`);
  for (const [name, bench] of Object.entries(benches)) {
    if (!names.includes(name)) continue;
    const use = watchUse();
    await bench.run(options, (figure) => {
      const whole = { bench: name, ...figure, use: use() };
      figures.push(whole);
      if (!isJson) process.stdout.write(`${figureRow(whole)}\n`);
    });
  }
  if (isJson) process.stdout.write(`${JSON.stringify({ machine: host, options, figures })}\n`);
}

type Running = Extract<BenchArguments, { readonly kind: "run" }>;
