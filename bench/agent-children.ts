import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Child, ChildOutput } from "../agent/processes/child.ts";
import { openRunDir } from "../agent/processes/open-run-dir.ts";
import { startChild } from "../agent/processes/start-child.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";

const rounds = 100;
const printedBytes = 1_000_000_000;
const linesTimed = 200;

type Start = (argv: readonly string[]) => Promise<Child>;

/**
 * A child that outlives the agent against one that Node starts with ordinary pipes, in turns: what the start and the
 * end of `true` cost, what a gigabyte costs, how much memory it takes; and how late a line is.
 */
export const agentChildren: Bench = {
  what: "children of the agent: start, throughput, memory and latency, against plain pipes",
  run: async ({ scale }, tell) => {
    const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
    const { path: runDir } = await openRunDir({ dataDir: folder });
    let step = 0;
    const start: Start = async (argv) =>
      await startChild({
        executionId: "exe_bench",
        step: (step += 1),
        argv,
        cwd: folder,
        env: { PATH: process.env["PATH"] ?? "" },
        runDir,
        stop: { signal: "SIGTERM", to: "group", graceMs: 1_000 },
      });
    try {
      await measureStarts(start, tell, Math.ceil(rounds * scale));
      await measureOutput(start, tell, Math.ceil(printedBytes * scale));
      await measureLines(start, tell, Math.ceil(linesTimed * scale));
    } finally {
      await rm(runDir, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function measureStarts(start: Start, tell: Tell, count: number): Promise<void> {
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < count + 10; round += 1) {
    let done: Child | undefined;
    const own = await timed(async () => {
      done = await runOurs(start, ["true"]);
    });
    await done?.remove();
    const other = await timed(async () => await runPlain(["true"]));
    if (round < 10) continue; // code that was just loaded
    ours.push(own);
    plain.push(other);
  }
  const [own, other] = [quantile(ours, 0.5), quantile(plain, 0.5)];
  tell({ figure: "start to last byte of `true`, p50", value: own, unit: "ms" });
  tell({ figure: "the same with plain pipes, p50", value: other, unit: "ms" });
  tell({ figure: "ours ÷ plain", value: own / other, unit: "×" });
  tell({ figure: "added to a command", value: own - other, unit: "ms", target: { atMost: 12 } });
}

async function measureOutput(start: Start, tell: Tell, bytes: number): Promise<void> {
  const argv = ["head", "-c", `${bytes}`, "/dev/zero"];
  const before = process.memoryUsage.rss();
  let most = before;
  let done: Child | undefined;
  const ownMs = await timed(async () => {
    done = await runOurs(start, argv, () => {
      most = Math.max(most, process.memoryUsage.rss());
    });
  });
  await done?.remove();
  const plainMs = await timed(async () => await runPlain(argv));
  const perS = bytes / 1_000 / ownMs;
  tell({ figure: "output", value: perS, unit: "MB/s", target: { atLeast: 20 }, note: "one line" });
  tell({ figure: "output ÷ plain pipes", value: plainMs / ownMs, unit: "×" });
  tell({
    figure: "growth of memory",
    value: (most - before) / 2 ** 20,
    unit: "MiB",
    target: { atMost: 100 },
  });
}

async function measureLines(start: Start, tell: Tell, count: number): Promise<void> {
  const child = await start([
    "bash",
    "-c",
    `for i in $(seq ${count}); do date +%s%N; sleep 0.01; done`,
  ]);
  const lateMs: number[] = [];
  for await (const { bytes } of child.output) {
    const nowMs = performance.timeOrigin + performance.now();
    lateMs.push(nowMs - Number(bytes.toString().trim().split("\n").at(-1)) / 1e6);
  }
  await child.remove();
  tell({
    figure: "a line's way to us, p50",
    value: quantile(lateMs, 0.5),
    unit: "ms",
    target: { atMost: 5 },
  });
  tell({ figure: "a line's way to us, p99", value: quantile(lateMs, 0.99), unit: "ms" });
}

/** To its last byte and its exit code; its folder is still to be removed. */
async function runOurs(start: Start, argv: readonly string[], look = () => {}): Promise<Child> {
  const child = await start(argv);
  await readAll(child.output, look);
  await child.exited;
  return child;
}

async function readAll(output: ChildOutput, look: () => void): Promise<void> {
  for await (const { bytes, offset } of output) {
    output.release(offset + bytes.length);
    look();
  }
}

async function runPlain([name = "", ...args]: readonly string[]): Promise<void> {
  const child = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, "close");
}

async function timed(act: () => Promise<void>): Promise<number> {
  const startedAtMs = performance.now();
  await act();
  return performance.now() - startedAtMs;
}
