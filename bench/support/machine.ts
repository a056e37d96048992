import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";
import path from "node:path";

export type Machine = {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly fdatasyncUs: number;
  readonly node: string;
  readonly loadBefore: string;
};

/** The machine a figure was taken on, without which it says nothing. */
export function machine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    fdatasyncUs: fdatasyncUs(),
    node: process.version,
    loadBefore: loadAverage(),
  };
}

/** One line for people. */
export function machineLine(m: Machine): string {
  return (
    `${m.cpu}, ${m.cores} cores, ${m.memoryGb} GB, Linux ${m.kernel}, fdatasync ${m.fdatasyncUs} µs (median), ` +
    `Node ${m.node}, load before ${m.loadBefore}`
  );
}

/** The median time that 8 KiB take to be safe on the disk of the temporary folder. */
function fdatasyncUs(): number {
  const file = path.join(tmpdir(), `svc-bench-fsync-${process.pid}`);
  const page = Buffer.alloc(8192, 1);
  const descriptor = openSync(file, "w");
  const times: number[] = [];
  for (let at = 0; at < 200; at += 1) {
    const startedAtMs = performance.now();
    writeSync(descriptor, page, 0, page.length, at * page.length);
    fdatasyncSync(descriptor);
    times.push(performance.now() - startedAtMs);
  }
  closeSync(descriptor);
  rmSync(file);
  return Math.round((times.toSorted((a, b) => a - b)[100] ?? Number.NaN) * 1000);
}

function loadAverage(): string {
  try {
    return readFileSync("/proc/loadavg", "latin1").split(" ").slice(0, 2).join(" ");
  } catch {
    return "unknown";
  }
}
