import { onTestFinished } from "vitest";
import { openLog } from "../../../broker/log.ts";
import { createMetrics } from "../../../broker/metrics.ts";
import type { SentPart } from "../../../broker/work-pool/frames.ts";
import { workMetrics } from "../../../broker/work-pool/work-metrics.ts";
import { WorkPool, type WorkPoolOptions } from "../../../broker/work-pool/work-pool.ts";
import { type Problem, problem } from "../../../shared/problem.ts";
import type { HungryKinds } from "./hungry-program.ts";

const mebibyte = 1024 * 1024;

/** A pool whose work goes wrong as it is asked to, with what it logs and shows. */
export function givenWorkPool(options: Partial<WorkPoolOptions> = {}) {
  const lines: string[] = [];
  const metrics = createMetrics();
  const pool = new WorkPool<HungryKinds>({
    program: { file: new URL("./hungry-program.ts", import.meta.url) },
    most: 2,
    name: "hungry",
    mostWork: { ofKind: 3 },
    patienceMs: 120_000,
    refusals: {
      tooMany: () => problem.tooMany("too many", 5, "busy"),
      keptWaiting: () => problem.unavailable("kept waiting", 5),
    },
    heapMb: 96,
    nice: 0,
    mostKeptBytes: 160 * mebibyte,
    bounds: { cpuMs: 60_000, wallMs: 120_000, rssBytes: 1024 * mebibyte },
    log: openLog("info", { write: (line) => void lines.push(line) }),
    metrics: workMetrics(metrics),
    ...options,
  });
  onTestFinished(() => pool.stop());
  const run = (
    kind: keyof HungryKinds,
    {
      orgId = "org_a",
      bytes = [] as SentPart[],
      gone = undefined as AbortSignal | undefined,
      outOfMemory = undefined as (() => Problem) | undefined,
    } = {},
  ) =>
    pool.run(
      { orgId, kind, asked: { of: orgId }, bytes, ...(outOfMemory && { outOfMemory }) },
      gone,
    );
  const shown = (name: string): number =>
    Number(new RegExp(`^${name}\\{pool="hungry"\\} (\\S+)$`, "m").exec(metrics.text())?.[1]);
  return { pool, run, lines, metrics, shown };
}
