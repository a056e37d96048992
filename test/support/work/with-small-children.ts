import { onTestFinished } from "vitest";
import type { Broker } from "../../../broker/broker.ts";
import { makeBodyReader } from "../../../broker/http/body/body-reader.ts";
import { createMetrics } from "../../../broker/metrics.ts";
import { childProgram } from "../../../broker/work-pool/child-program.ts";
import type { WorkKinds } from "../../../broker/work-pool/work-kinds.ts";
import { workMetrics } from "../../../broker/work-pool/work-metrics.ts";
import { WorkPool } from "../../../broker/work-pool/work-pool.ts";
import { problem } from "../../../shared/problem.ts";

const mebibyte = 1024 * 1024;

/** Has the broker read bodies and states in children of little memory until the test ends, so that few values are too many. */
export function withSmallChildren(broker: Broker): void {
  const late = () => problem.unavailable("late", 5);
  const pool = new WorkPool<WorkKinds>({
    name: "small",
    program: childProgram,
    most: 2,
    mostWork: {},
    patienceMs: 120_000,
    refusals: { tooMany: late, keptWaiting: late },
    heapMb: 96,
    nice: 0,
    mostKeptBytes: 256 * mebibyte,
    bounds: { cpuMs: 60_000, wallMs: 120_000, rssBytes: 1024 * mebibyte },
    log: broker.log,
    metrics: workMetrics(createMetrics()),
  });
  const { bodies, states } = broker;
  Object.assign(broker, { bodies: makeBodyReader(pool), states: pool });
  onTestFinished(async () => {
    Object.assign(broker, { bodies, states });
    await pool.stop();
  });
}
