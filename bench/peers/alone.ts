import { setTimeout as sleep } from "node:timers/promises";
import { type Paced, runClients } from "../support/run-clients.ts";
import { openGraphileQueue } from "./graphile-queue.ts";
import type { PeerQueue } from "./peer-queue.ts";
import { openBossQueue } from "./pg-boss-queue.ts";

/**
 * A library of jobs in a process of its own, without HTTP. Told by messages how long to work; answers how many jobs were done
 * meanwhile. `single`: one job a call, by the number of loops that was the faster in the warm-up; `batch`: 100 jobs a call, one
 * sender.
 */
export type AloneTask = { readonly kind: "single" | "batch"; readonly seconds: number };

const peers: Readonly<Record<string, (url: string) => Promise<PeerQueue>>> = {
  "pg-boss": openBossQueue,
  "graphile-worker": openGraphileQueue,
};
const batch = 100;
/** So far the sender is ahead, at most, that nobody ever finds the queue empty. */
const mostAhead = 20 * batch;

const [name = "", databaseUrl = ""] = process.argv.slice(2);
const open = peers[name];
if (open === undefined) throw new Error(`no such peer: ${name}`);
const queue = await open(databaseUrl);
const work = { single: singles(), batch: batches };

process.on("message", ({ kind, seconds }: AloneTask) => {
  void work[kind](seconds).then((paced) => process.send?.(paced));
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");

/** The first task is the warm-up: it tries both numbers of loops. */
function singles(): (seconds: number) => Promise<Paced> {
  let loops: number | undefined;
  return async (seconds) => {
    if (loops !== undefined) return runLoops(loops, seconds);
    const [few, many] = [await runLoops(10, seconds / 2), await runLoops(64, seconds / 2)];
    loops = few.count > many.count ? 10 : 64;
    return few;
  };
}

const runLoops = (loops: number, seconds: number): Promise<Paced> =>
  runClients(Array.from({ length: loops }), seconds, () => queue.live());

async function batches(seconds: number): Promise<Paced> {
  const fromMs = performance.now();
  const before = queue.done();
  let sent = 0;
  const untilMs = fromMs + seconds * 1000;
  while (performance.now() < untilMs) {
    if (sent - (queue.done() - before) > mostAhead) {
      await sleep(1);
      continue;
    }
    await queue.send(batch);
    sent += batch;
  }
  const paced = { count: queue.done() - before, seconds: (performance.now() - fromMs) / 1000 };
  while (queue.done() - before < sent) await sleep(10); // the next round begins with nothing
  return paced;
}
