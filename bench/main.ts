import { parseArgs } from "node:util";
import { abuse } from "./abuse.ts";
import { agentAction } from "./agent-action.ts";
import { agentAlone } from "./agent-alone.ts";
import { agentChildren } from "./agent-children.ts";
import { agentOutput } from "./agent-output.ts";
import { heartBeats } from "./heart-beats.ts";
import { helm } from "./helm.ts";
import { httpFloor } from "./http-floor.ts";
import { largeBodies } from "./large-bodies.ts";
import { livesBatch } from "./lives-batch.ts";
import { livesSingle } from "./lives-single.ts";
import { logIntake } from "./log-intake.ts";
import { logPaging } from "./log-paging.ts";
import { logTail } from "./log-tail.ts";
import { loneRequest } from "./lone-request.ts";
import { manifests } from "./manifests.ts";
import { millionLive } from "./million-live.ts";
import { neighbours } from "./neighbours.ts";
import { parkLatency } from "./park-latency.ts";
import { state } from "./state.ts";
import type { Bench, BenchOptions } from "./support/bench.ts";
import { type Figure, figureHead, figureRow } from "./support/figures.ts";
import { machine, machineLine } from "./support/machine.ts";
import { tenMillionEnded } from "./ten-million-ended.ts";
import { terraformRounds } from "./terraform-rounds.ts";
import { terraform } from "./terraform.ts";

const benches = {
  "http-floor": httpFloor,
  "lives-single": livesSingle,
  "lives-batch": livesBatch,
  "park-latency": parkLatency,
  "million-live": millionLive,
  "ten-million-ended": tenMillionEnded,
  "lone-request": loneRequest,
  "heart-beats": heartBeats,
  state,
  "log-intake": logIntake,
  "agent-alone": agentAlone,
  "agent-action": agentAction,
  "agent-children": agentChildren,
  "log-tail": logTail,
  "log-paging": logPaging,
  "agent-output": agentOutput,
  neighbours,
  "large-bodies": largeBodies,
  terraform,
  manifests,
  "terraform-rounds": terraformRounds,
  helm,
  abuse,
} as const satisfies Record<string, Bench>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    seconds: { type: "string", default: "15" },
    "warm-up": { type: "string", default: "5" },
    scale: { type: "string", default: "1" },
    profile: { type: "string" },
  },
});
const named =
  positionals.length === 1 && positionals[0] === "all" ? Object.keys(benches) : positionals;
const unknown = named.filter((name) => !Object.hasOwn(benches, name));

if (named.length === 0 || unknown.length > 0) {
  process.stderr.write(usage());
  process.exitCode = 2;
} else {
  await runAll();
}

async function runAll(): Promise<void> {
  const options: BenchOptions = {
    seconds: Number(values.seconds),
    warmUpS: Number(values["warm-up"]),
    scale: Number(values.scale),
    profileDir: values.profile,
  };
  const host = machine();
  const figures: Figure[] = [];
  if (!values.json) process.stdout.write(`${machineLine(host)}\n\n${figureHead}\n`);
  for (const [name, bench] of Object.entries(benches)) {
    if (!named.includes(name)) continue;
    await bench.run(options, (figure) => {
      const whole = { bench: name, ...figure };
      figures.push(whole);
      if (!values.json) process.stdout.write(`${figureRow(whole)}\n`);
    });
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ machine: host, options, figures })}\n`);
}

function usage(): string {
  const rows = Object.entries(benches).map(([name, { what }]) => `  ${name.padEnd(20)}${what}\n`);
  return (
    `Usage: npm run bench -- <name>… | all [--json] [--seconds 15] [--warm-up 5] [--scale 1] [--profile folder]\n\n` +
    rows.join("")
  );
}
