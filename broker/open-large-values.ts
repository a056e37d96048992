import type { Broker } from "./broker.ts";
import type { Config } from "./config.ts";
import { makeLimiter } from "./database/limiter.ts";
import { makeBodyReader } from "./http/body/body-reader.ts";
import { type BudgetLimits, ByteBudget } from "./http/limits/byte-budget.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { makeRenderer } from "./rendering/renderer.ts";
import { openWorkPools } from "./work-pool/open-work-pools.ts";

const mebibyte = 1024 * 1024;

const budgetWaitMs = 20_000;
/** A stop leaves the rest of its time to the answers. */
const workGraceMs = 8_000;

type Large =
  | "uploads"
  | "configUploads"
  | "downloads"
  | "decompressions"
  | "bodies"
  | "work"
  | "states"
  | "endWork"
  | "render"
  | "largeWrites"
  | "largeReads";

/**
 * What large values need: budgets for their memory, limiters for their statements, and the processes that read them,
 * with what /metrics shows of all.
 */
export function openLargeValues(
  config: Config,
  metrics: Metrics,
  log: Log,
): Pick<Broker, Large> & { readonly stop: () => Promise<void> } {
  const { poolSize } = config;
  const lanes = { largeWrites: makeLimiter(poolSize < 4 ? 1 : 2), largeReads: makeLimiter(1) };
  const makeBudget = (most: WorkMost): ByteBudget => measuredWorkBudget(most, metrics);
  const { work, bodies: bodyPool, states } = openWorkPools({ config, log, metrics, makeBudget });
  const pools = [work, bodyPool, states];
  return {
    ...measuredBudgets(config, metrics),
    ...lanes,
    decompressions: measuredDecompressions(metrics),
    work,
    states,
    render: makeRenderer(work, metrics),
    bodies: makeBodyReader(bodyPool),
    async stop() {
      for (const pool of pools) pool.endWithin(workGraceMs);
    },
    async endWork() {
      await Promise.all(pools.map((pool) => pool.stop()));
    },
  };
}

/** Budgets for bodies and answers. Configs have one of their own: they hold it while they wait to be checked, and no result waits behind that. */
function measuredBudgets(
  { bodies }: Pick<Config, "bodies">,
  metrics: Metrics,
): Pick<Broker, "uploads" | "configUploads" | "downloads"> {
  const refused = metrics.counter(
    "svc_bodies_refused_total",
    "Large bodies refused for lack of memory.",
  );
  const all: [of: string, budget: ByteBudget][] = [];
  const make = (of: string, what: string): ByteBudget => {
    const limits = { ...bodies, what, waitMs: budgetWaitMs };
    const budget = new ByteBudget(limits, (bound) => refused.add({ of, bound }));
    all.push([of, budget]);
    return budget;
  };
  const gauge = (name: string, help: string, read: (budget: ByteBudget) => number): void =>
    metrics.gauge(name, help, () => all.map(([of, budget]) => [{ of }, read(budget)] as const));
  gauge("svc_bodies_bytes", "Memory held for large bodies.", ({ heldBytes }) => heldBytes);
  gauge("svc_bodies_waiting", "Large bodies that wait for memory.", ({ waiting }) => waiting);
  return {
    uploads: make("in", "large bodies"),
    configUploads: make("configs", "configs"),
    downloads: make("out", "large answers"),
  };
}

type WorkMost = Pick<BudgetLimits, "orgBytes" | "brokerBytes">;

/** What is refused for lack of it is counted with the work. */
function measuredWorkBudget(most: WorkMost, metrics: Metrics): ByteBudget {
  const { orgBytes: tokenBytes } = most;
  const limits = { ...most, tokenBytes, what: "work for child processes", waitMs: budgetWaitMs };
  const budget = new ByteBudget(limits, () => {});
  const help = "Memory held for configs and templates that wait for a child process or are in one.";
  metrics.gauge("svc_work_bytes", help, () => budget.heldBytes);
  return budget;
}

/** Half of it for one org; the compressed bodies are in memory while they wait. */
function measuredDecompressions(metrics: Metrics): ByteBudget {
  const limits = {
    what: "compressed bodies",
    ownerWord: "log stream or runner",
    brokerBytes: 64 * mebibyte,
    orgBytes: 32 * mebibyte,
    tokenBytes: 32 * mebibyte,
    waitMs: budgetWaitMs,
    mostWaitingBytes: 32 * mebibyte,
  };
  const budget = new ByteBudget(limits, () => {});
  const help = "Memory reserved to decompress logs, traces and metrics.";
  metrics.gauge("svc_inflating_bytes", help, () => budget.heldBytes);
  return budget;
}
