import { Problem, problem } from "../../shared/problem.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { MostWork } from "./admission.ts";
import { childProgram } from "./child-program.ts";
import type { WorkKinds } from "./work-kinds.ts";
import { workMetrics } from "./work-metrics.ts";
import { type WorkMemory, WorkPool } from "./work-pool.ts";

const mebibyte = 1024 * 1024;

type PoolRow = {
  /** The most children, by how many the operator allows for work of the first pool. */
  readonly most: (workProcesses: number) => number;
  readonly heapMb: number;
  /** All that a child may have in memory: its heap, and the bytes that it got and made. */
  readonly rssMb: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly patienceMs: number;
  readonly mostWork: MostWork;
  readonly refusals: Readonly<Record<"tooMany" | "keptWaiting", () => Problem>>;
  /** Whether its children stand back for the broker, as far as the operator says. */
  readonly isNice: boolean;
  /** Past this after its work a child is followed by another. */
  readonly mostKeptMb: number;
};

const again = (detail: string): Problem => problem.unavailable(detail, 5);

const busyWithStates = (): Problem =>
  new Problem({
    status: 503,
    code: "busy",
    detail: "Too many large states are being read. Try again in a moment.",
    headers: { "retry-after": "5" },
  });

/**
 * The pools of a broker: what one does delays nothing of another. In each, orgs take turns, and an org has one child at
 * a time. docs/operations.md has the same table, by a test.
 */
export const pools = {
  /** Configs and templates. */
  work: {
    most: (workProcesses) => workProcesses,
    heapMb: 352,
    rssMb: 448,
    cpuMs: 20_000,
    wallMs: 60_000,
    patienceMs: 60_000,
    mostWork: { ofKind: 3 },
    refusals: {
      tooMany: () =>
        problem.tooMany(
          "Work of this kind already runs and waits for this org. Try again when it has ended.",
          5,
          "busy",
        ),
      keptWaiting: () => again("Timed out behind the work of others. Try again later."),
    },
    isNice: true,
    mostKeptMb: 128,
  },
  /** Large bodies, most of them results of runners, and large plans. What waits is bounded by the budget for their memory. */
  bodies: {
    most: (workProcesses) => Math.min(2, workProcesses),
    heapMb: 768,
    rssMb: 1024,
    cpuMs: 30_000,
    wallMs: 120_000,
    patienceMs: 120_000,
    mostWork: {},
    refusals: {
      tooMany: () => again("Too many large bodies are being read. Try again later."),
      keptWaiting: () => again("Timed out behind other large bodies. Try again later."),
    },
    isNice: false,
    mostKeptMb: 256,
  },
  /** Large states, which go from the database to the child; what waits holds nothing. */
  states: {
    most: () => 1,
    heapMb: 1024,
    rssMb: 1280,
    cpuMs: 40_000,
    wallMs: 120_000,
    patienceMs: 60_000,
    mostWork: { ofOrg: 5, ofAll: 12 },
    refusals: { tooMany: busyWithStates, keptWaiting: busyWithStates },
    isNice: true,
    mostKeptMb: 256,
  },
} as const satisfies Readonly<Record<string, PoolRow>>;

/** The pools of one broker, by name. */
export type WorkPools = Readonly<Record<keyof typeof pools, WorkPool<WorkKinds>>>;

type Parts = {
  readonly config: Pick<Config, "workProcesses" | "workNice">;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Makes a budget for bytes in memory. */
  readonly makeBudget: (
    most: Record<"orgBytes" | "brokerBytes", number>,
  ) => Pick<WorkMemory, "enter">;
};

/** What of an org's work for the first pool may be in memory while it waits and runs. */
export const shareBytes = 32 * mebibyte;

/** Opens all pools, by the table, a broker's settings and its metrics. */
export function openWorkPools({ config, log, metrics: shown, makeBudget }: Parts): WorkPools {
  const { workProcesses, workNice } = config;
  const metrics = workMetrics(shown);
  const open = (name: keyof typeof pools, held?: WorkMemory): WorkPool<WorkKinds> => {
    const { most, isNice, rssMb, mostKeptMb, cpuMs, wallMs, ...row }: PoolRow = pools[name];
    return new WorkPool<WorkKinds>({
      ...row,
      name,
      program: childProgram,
      most: most(workProcesses),
      nice: isNice ? workNice : 0,
      bounds: { cpuMs, wallMs, rssBytes: rssMb * mebibyte },
      mostKeptBytes: mostKeptMb * mebibyte,
      log,
      metrics,
      memory: held,
    });
  };
  // One share more than there are places: all of it is held only while more orgs have work than there are places.
  const brokerBytes = (workProcesses + 1) * shareBytes;
  const budget = makeBudget({ orgBytes: shareBytes, brokerBytes });
  const memory = { shareBytes, enter: budget.enter.bind(budget) };
  return { work: open("work", memory), bodies: open("bodies"), states: open("states") };
}
