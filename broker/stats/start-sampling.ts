import type { Broker } from "../broker.ts";
import { repeat } from "../clocks/repeat.ts";
import { tallyJobEnds } from "../database-metrics/tally-job-ends.ts";
import { markFullOrgs } from "../queues/mark-full-orgs.ts";
import { sampleStats } from "./sample-stats.ts";

/** How often each broker asks whether it is time. */
const everyMs = 5_000;

/**
 * Samples what stands, counts what moved and marks the orgs that hold too much in their queues, every ten seconds or so by one
 * broker of all; answers how to stop that.
 */
export function startSampling({
  config,
  db,
  log,
}: Pick<Broker, "config" | "db" | "log">): () => Promise<void> {
  const stopped = new AbortController();
  const sampling = repeat({ signal: stopped.signal, log }, "stats", everyMs, async () => {
    if (!(await sampleStats(db))) return;
    await markFullOrgs(db, config.signalsOrgMib);
    await tallyJobEnds(db);
  });
  return async () => {
    stopped.abort();
    await sampling;
  };
}
