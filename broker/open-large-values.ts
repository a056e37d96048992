import type { Broker } from "./broker.ts";
import type { Config } from "./config.ts";
import { makeLimiter } from "./database/limiter.ts";
import { makeBodyReader } from "./http/body/body-reader.ts";
import { ByteBudget } from "./http/limits/byte-budget.ts";
import { DecompressionBudget } from "./http/limits/decompression-budget.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { makeRenderer } from "./rendering/renderer.ts";
import { openWorkPool } from "./work-pool/open-work-pool.ts";

const mebibyte = 1024 * 1024;

const budgetWaitMs = 20_000;
/** A stop leaves the rest of its time to the answers. */
const workGraceMs = 8_000;

type Large = "uploads" | "downloads" | "bodies" | "work" | "render" | "largeWrites" | "largeReads";

/**
 * What large values need: budgets for their memory, limiters for their statements, and the threads and processes that read them,
 * with what /metrics shows of all.
 */
export function openLargeValues(
  config: Config,
  metrics: Metrics,
  log: Log,
): Pick<Broker, Large | "decompressions"> & { readonly stop: () => Promise<void> } {
  const { bodies, poolSize } = config;
  const refused = metrics.counter(
    "svc_bodies_refused_total",
    "Large bodies refused for lack of memory.",
  );
  const make = (of: "in" | "out", what: string): ByteBudget =>
    new ByteBudget({ ...bodies, what, waitMs: budgetWaitMs }, (bound) =>
      refused.add({ of, bound }),
    );
  const budgets = { uploads: make("in", "large bodies"), downloads: make("out", "large answers") };
  const both = (read: (budget: ByteBudget) => number) => () =>
    [
      [{ of: "in" }, read(budgets.uploads)],
      [{ of: "out" }, read(budgets.downloads)],
    ] as const;
  metrics.gauge(
    "svc_bodies_bytes",
    "Memory held for large bodies.",
    both(({ heldBytes }) => heldBytes),
  );
  metrics.gauge(
    "svc_bodies_waiting",
    "Large bodies that wait for memory.",
    both(({ waiting }) => waiting),
  );
  const lanes = { largeWrites: makeLimiter(poolSize < 4 ? 1 : 2), largeReads: makeLimiter(1) };
  const decompressions = measuredDecompressions(metrics);
  const work = openWorkPool({ config, log, metrics, budget: decompressions });
  const reader = makeBodyReader();
  const stop = async (): Promise<void> => {
    work.endWithin(workGraceMs);
    await reader.stop();
  };
  return {
    ...budgets,
    ...lanes,
    decompressions,
    work,
    render: makeRenderer(work, metrics),
    bodies: reader,
    stop,
  };
}

function measuredDecompressions(metrics: Metrics): DecompressionBudget {
  const budget = new DecompressionBudget({
    mostBytes: 64 * mebibyte,
    mostWaitingBytes: 32 * mebibyte,
  });
  const help = "Memory reserved to decompress logs, traces and metrics.";
  metrics.gauge("svc_inflating_bytes", help, () => budget.heldBytes);
  return budget;
}
