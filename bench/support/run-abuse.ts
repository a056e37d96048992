import { fork } from "node:child_process";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Abuse, AbuseCounts } from "./abuser.ts";
import type { Tell } from "./bench.ts";
import type { BrokerProcess } from "./broker-process.ts";
import { quantile } from "./figures.ts";
import type { Fleet } from "./given-fleet.ts";
import { watchNeighbour } from "./neighbour.ts";
import { residentBytes } from "./process-memory.ts";

export type AbuseRun = {
  readonly broker: BrokerProcess;
  readonly neighbour: Fleet;
  readonly abuses: readonly Abuse[];
  readonly seconds: number;
};

const mostMb = 600;
const mostP95Ms = 100;

/** Another org's latencies and the broker's memory while one org does its worst from a process of its own. */
export async function runAbuse(
  { broker, neighbour, abuses, seconds }: AbuseRun,
  tell: Tell,
): Promise<void> {
  const quiet = await watchFor({ broker, neighbour }, Math.min(10, seconds));
  tell({ figure: "neighbour alone, p95", value: quantile(quiet.latencies, 0.95), unit: "ms" });
  const abuser = fork(path.join(import.meta.dirname, "abuser.ts"), { stdio: "inherit" });
  abuser.send([...abuses]);
  const seen = await watchFor({ broker, neighbour }, seconds);
  const peakMb = residentBytes(broker.pid, "VmHWM") / 1024 ** 2;
  const { counts, latest } = await new Promise<{ counts: AbuseCounts; latest: object }>(
    (resolve) => {
      abuser.once("message", (message) => resolve(message as never)); // the one message that it sends
      abuser.send("stop");
    },
  );
  const of = (share: number): number => quantile(seen.latencies, share);
  tell({ figure: "neighbour, p50", value: of(0.5), unit: "ms" });
  tell({
    figure: "neighbour, p95",
    value: of(0.95),
    unit: "ms",
    target: { atMost: mostP95Ms },
    note: `${seen.latencies.length} requests, ${seen.failures} refused`,
  });
  tell({ figure: "neighbour, p99", value: of(0.99), unit: "ms" });
  tell({ figure: "neighbour, longest", value: of(1), unit: "ms" });
  tell({
    figure: "resident memory of the broker, peak",
    value: peakMb,
    unit: "MB",
    target: { atMost: mostMb },
    note: `median ${Math.round(quantile(seen.residentMb, 0.5))} MB`,
  });
  for (const [kind, statuses] of Object.entries(counts)) {
    const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const note = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
    tell({ figure: `abuse: ${kind}`, value: all / seconds, unit: "/s", note: note.join(", ") });
  }
  process.stderr.write(`${JSON.stringify(latest)}\n`);
}

async function watchFor(
  { broker, neighbour }: Pick<AbuseRun, "broker" | "neighbour">,
  seconds: number,
) {
  let isOver = false;
  const watching = watchNeighbour(broker, neighbour, () => isOver);
  await pause(seconds * 1000);
  isOver = true;
  return watching;
}
