import { execFile } from "node:child_process";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../../broker/http/limits/byte-budget.ts";
import { problem } from "../../../shared/problem.ts";
import { givenWorkPool } from "../../support/work/given-work-pool.ts";

const mebibyte = 1024 * 1024;
const busy = { status: 429, headers: { "retry-after": "5" } };
const away = { status: 503, headers: { "retry-after": "5" } };
const pidOf = (done: { readonly told: object }) => (done.told as { pid: number }).pid;

describe("work in child processes", () => {
  test("gets its bytes as they are, and answers as many", async () => {
    const { run } = givenWorkPool();
    const bytes = [Buffer.alloc(0), Buffer.alloc(3 * mebibyte, "äx"), Buffer.from([0, 255])];
    const done = await run("echo", { bytes });
    expect(done.bytes.map((one) => Buffer.from(one).equals(bytes.shift() ?? one))).toEqual([
      true,
      true,
      true,
    ]);
    expect(done.told).toMatchObject({ asked: { of: "org_a" } });
    expect(pidOf(await run("echo"))).toBe(pidOf(done));
  });

  test("has a refusal as its answer, the errors a finished text; any other error is a fault", async () => {
    const { run, lines } = givenWorkPool();
    await expect(run("refuse")).rejects.toMatchObject({
      status: 422,
      errors: [],
      errorsText: '[{"pointer":"#/x","code":"wrong","detail":"This is wrong."}]',
    });
    await expect(run("fail")).rejects.toThrow("a fault of ours");
    expect(lines).toEqual([]);
  });

  test.each(["smallValues", "longArray"] as const)(
    "dies of %s alone: another org is answered meanwhile, and the org itself after it",
    async (kind) => {
      const { run, lines, shown } = givenWorkPool();
      const eater = run(kind);
      const other = await run("echo", { orgId: "org_b" });
      await expect(eater).rejects.toMatchObject(away);
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({
        level: "error",
        org_id: "org_a",
        kind,
        why: "its memory was used up",
      });
      expect(pidOf(await run("echo"))).toBe(pidOf(other));
      expect(shown("svc_work_processes")).toBe(1);
    },
  );

  test.each([
    ["spin", { cpuMs: 300 }, /^it used \d+ ms of CPU$/],
    ["wait", { wallMs: 300 }, /^it took more than 300 ms$/],
    ["buffers", { rssBytes: 256 * mebibyte }, /^it had \d+ bytes in memory$/],
    ["recurse", {}, /^it failed: Maximum call stack size exceeded$/],
    ["tell", {}, /^it failed: Too much to tell: 2097163 letters$/],
    ["exit", {}, /^it exited with 7$/],
  ] as const)("that goes on as %s does is given up, and logged", async (kind, bound, why) => {
    const bounds = { cpuMs: 60_000, wallMs: 120_000, rssBytes: 1024 * mebibyte, ...bound };
    const { run, lines } = givenWorkPool({ bounds });
    await expect(run(kind)).rejects.toMatchObject(away);
    const line = JSON.parse(lines[0] ?? "") as { why: string };
    expect(line.why).toMatch(why);
  });

  test.each(["smallValues", "longArray", "buffers", "recurse", "tell"] as const)(
    "that needs more memory than it may (%s) is answered as who asked says, and is no fault of ours",
    async (kind) => {
      const bounds = { cpuMs: 60_000, wallMs: 120_000, rssBytes: 256 * mebibyte };
      const { run, lines } = givenWorkPool({ bounds });
      const outOfMemory = () => problem.tooLarge(mebibyte);
      await expect(run(kind, { outOfMemory })).rejects.toMatchObject({ status: 413 });
      await expect(run("exit", { outOfMemory })).rejects.toMatchObject(away);
      expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(["exit"]);
    },
  );

  test("runs once for an org, and waits twice for each kind; more is refused", async () => {
    const { run, shown } = givenWorkPool();
    const leaving = new AbortController();
    const { signal: gone } = leaving;
    const held = [1, 2, 3].map(() => run("wait", { gone }).catch((error: unknown) => error));
    await expect(run("wait")).rejects.toMatchObject(busy);
    const other = run("echo", { gone }).catch((error: unknown) => error);
    expect(shown("svc_work_waiting")).toBe(3);
    expect(await run("echo", { orgId: "org_b" })).toMatchObject({ bytes: [] });
    leaving.abort();
    expect(await Promise.all([...held, other])).toMatchObject([away, away, away, away]);
    expect(shown("svc_work_waiting")).toBe(0);
    expect(await run("echo")).toMatchObject({ bytes: [] });
  });

  test("ends with the client that waits for it, and its place is free", async () => {
    const { run, lines, metrics } = givenWorkPool({ most: 1 });
    const leaving = new AbortController();
    const spinning = run("spin", { gone: leaving.signal });
    const next = run("echo", { orgId: "org_b" });
    leaving.abort();
    await expect(spinning).rejects.toMatchObject({ status: 503 });
    expect(await next).toMatchObject({ bytes: [] });
    expect(lines).toEqual([]);
    expect(metrics.text()).toContain('svc_work_total{kind="spin",end="left"} 1');
  });

  test("that ends within the stop is done, the rest is refused, and no process is left", async () => {
    const { pool, run, shown } = givenWorkPool();
    const waiting = run("wait");
    const behind = run("echo");
    expect(await run("echo", { orgId: "org_b" })).toMatchObject({ bytes: [] });
    pool.endWithin(0);
    await expect(waiting).rejects.toMatchObject(away);
    await expect(behind).rejects.toMatchObject(away);
    await expect(run("echo", { orgId: "org_c" })).rejects.toMatchObject(away);
    await pool.stop();
    expect(shown("svc_work_processes")).toBe(0);
  });

  test("is done by another process after one that has grown", async () => {
    const { run } = givenWorkPool({ mostKeptBytes: 128 * mebibyte });
    const pids = [await run("grow"), await run("grow"), await run("grow")].map(pidOf);
    expect(new Set(pids).size).toBeGreaterThan(1);
    expect((await run("echo")).told).toMatchObject({ asked: { of: "org_a" } });
  });

  test("whose process the system does not let start is given up, and this process goes on", async () => {
    const program = new URL("../../support/work/few-files-program.ts", import.meta.url);
    const words = ["-c", 'ulimit -n 128; exec "$0" "$@"', process.execPath, fileURLToPath(program)];
    const { stdout } = await promisify(execFile)("/bin/sh", words);
    expect(JSON.parse(stdout)).toEqual([
      {
        reason: "ended",
        message: "it could not be started: spawn /bin/sh EMFILE",
        hasEnded: true,
      },
      { told: "x" },
    ]);
  });

  test("whose process cannot even be tried to start is given up, and logged", async () => {
    const file = new URL(`file:///${"a".repeat(1024 * 1024)}`); // thrown, as for want of memory
    const { run, lines, shown } = givenWorkPool({ program: { file } });
    await expect(run("echo")).rejects.toMatchObject(away);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ why: "it could not be started: spawn E2BIG", org_id: "org_a" }),
    ]);
    expect(shown("svc_work_processes")).toBe(0);
  });

  test("leaves no process behind, once there has been nothing to do for a while", async () => {
    const { run, shown } = givenWorkPool({ idleMs: 0 });
    await run("echo");
    await expect.poll(() => shown("svc_work_processes")).toBe(0);
  });
});

describe("bytes that are read while they are sent", () => {
  const streamed = (sizeBytes: number, ...pieces: (string | Error)[]) => ({
    sizeBytes,
    async *pieces() {
      for (const piece of pieces) {
        await turn();
        if (piece instanceof Error) throw piece;
        yield Buffer.from(piece);
      }
    },
  });

  test("come whole, between others", async () => {
    const { run } = givenWorkPool();
    const bytes = [Buffer.from("a"), streamed(5, "bc", "d", "ef"), Buffer.from("g")];
    const done = await run("echo", { bytes });
    expect(done.bytes.map(String)).toEqual(["a", "bcdef", "g"]);
  });

  test.each([
    ["cannot be read", streamed(5, "bc", new Error("it is gone")), "it is gone"],
    ["are fewer than was said", streamed(5, "bc"), "2 bytes came of 5"],
    ["are more than was said", streamed(5, "bc", "defg"), "6 bytes came of 5"],
  ])("end their work when they %s, and the next is done", async (_, part, why) => {
    const { run, lines } = givenWorkPool({ most: 1 });
    await expect(run("echo", { bytes: [part] })).rejects.toThrow(why);
    expect(await run("echo", { bytes: [Buffer.from("x")] })).toMatchObject({
      told: { asked: { of: "org_a" } },
    });
    expect(lines).toEqual([]);
  });
});

describe("memory for work", () => {
  /** A pool of one process with memory for two orgs, of which `org_a` has taken all of its share. */
  async function setup() {
    const budget = new ByteBudget(
      { what: "work", brokerBytes: 20, orgBytes: 10, tokenBytes: 10, waitMs: 60_000 },
      () => {},
    );
    const memory = { shareBytes: 10, enter: budget.enter.bind(budget) };
    const giveBack = await budget.enter({ orgId: "org_a", tokenId: "work org_a", bytes: 10 });
    return { budget, giveBack, ...givenWorkPool({ most: 1, memory }) };
  }
  const bytes = [Buffer.alloc(6)];

  test("is waited for without a place: other orgs are served, and then the one that waited", async () => {
    const { run, shown, giveBack } = await setup();
    const waiting = run("echo", { bytes });
    expect(await run("echo", { orgId: "org_b", bytes })).toMatchObject({ told: {} });
    expect(shown("svc_work_waiting")).toBe(1);
    giveBack();
    expect(await waiting).toMatchObject({ told: { asked: { of: "org_a" } } });
  });

  test("is waited for by no more of an org than may wait, and by nobody who left", async () => {
    const { run, shown, budget } = await setup();
    const leaving = new AbortController();
    const { signal: gone } = leaving;
    const waiting = [1, 2, 3].map(() =>
      run("echo", { bytes, gone }).catch((error: unknown) => error),
    );
    await expect(run("echo", { bytes })).rejects.toMatchObject(busy);
    expect(budget.waiting).toBe(3);
    leaving.abort();
    expect(await Promise.all(waiting)).toMatchObject([away, away, away]);
    expect([budget.waiting, shown("svc_work_waiting")]).toEqual([0, 0]);
  });

  test("is held while work waits for a place and while it runs, one that is larger as a share, and given back then", async () => {
    const { run, budget, giveBack } = await setup();
    const leaving = new AbortController();
    const { signal: gone } = leaving;
    const large = { orgId: "org_b", bytes: [Buffer.alloc(64)], gone };
    const running = run("wait", large).catch((error: unknown) => error);
    expect(budget.heldBytes).toBe(20);
    giveBack();
    const next = run("echo", { bytes });
    expect(budget.heldBytes).toBe(16);
    leaving.abort();
    expect(await running).toMatchObject(away);
    await next;
    expect(budget.heldBytes).toBe(0);
  });
});
