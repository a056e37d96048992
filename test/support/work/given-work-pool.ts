import { onTestFinished } from "vitest";
import { DecompressionBudget } from "../../../broker/http/limits/decompression-budget.ts";
import { openLog } from "../../../broker/log.ts";
import { createMetrics } from "../../../broker/metrics.ts";
import { WorkPool, type WorkPoolOptions } from "../../../broker/work-pool/work-pool.ts";
import type { HungryKinds } from "./hungry-program.ts";

const mebibyte = 1024 * 1024;

/** A pool whose work goes wrong as it is asked to, with what it logs and shows. */
export function givenWorkPool(options: Partial<WorkPoolOptions> = {}) {
  const lines: string[] = [];
  const metrics = createMetrics();
  const pool = new WorkPool<HungryKinds>({
    program: { file: new URL("./hungry-program.ts", import.meta.url) },
    most: 2,
    mostWaiting: 2,
    patienceMs: 120_000,
    heapMb: 96,
    nice: 0,
    mostKeptBytes: 160 * mebibyte,
    bounds: { cpuMs: 60_000, wallMs: 120_000, rssBytes: 1024 * mebibyte },
    budget: new DecompressionBudget({ mostBytes: 64 * mebibyte, mostWaitingBytes: mebibyte }),
    log: openLog("info", { write: (line) => void lines.push(line) }),
    metrics,
    ...options,
  });
  onTestFinished(() => pool.stop());
  const run = (
    kind: keyof HungryKinds,
    {
      orgId = "org_a",
      bytes = [] as Uint8Array[],
      gone = undefined as AbortSignal | undefined,
    } = {},
  ) => pool.run({ orgId, kind, asked: { of: orgId }, bytes }, gone);
  const shown = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics.text())?.[1]);
  return { pool, run, lines, metrics, shown };
}
