import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../../broker/logs/store/log-record.ts";
import { outputOf } from "../../support/agent/child-output.ts";
import {
  asOutput,
  givenAgentLogs,
  numbered,
  source,
} from "../../support/agent/given-agent-logs.ts";
import { spoilLines } from "../../support/agent/spoil-lines.ts";
import { accepted, type Reply, refusal } from "../../support/logs/log-receiver.ts";

describe("a spool of logs", () => {
  const turns = async (count: number): Promise<void> => {
    for (let nth = 0; nth < count; nth++)
      await new Promise((resolve) => void setImmediate(resolve));
  };
  const slowly = async (): Promise<Reply> => {
    await turns(50);
    return accepted;
  };
  const dropped = (entries: readonly LogEntry[]) =>
    entries.filter(({ attributes }) => attributes["svc.notice"] === "dropped");

  test("keeps its bound while the broker is away, keeps head and tail, and says what it dropped", async () => {
    const { receiver, dir, logs, openJobLog, bodies } = await givenAgentLogs({
      maxBytesPerJob: 400_000,
    });
    receiver.answer(() => refusal(503));
    const log = await openJobLog("a");
    await log.pipe(source, asOutput(numbered(60_000), 4000));
    await log.close();
    const files = (await readdir(join(dir, "exe_a"))).filter((name) => name.endsWith(".frames"));
    const sizes = await Promise.all(
      files.map(async (name) => (await stat(join(dir, "exe_a", name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000);
    receiver.answer(() => accepted);
    expect(await logs.shipping.allDrained(10_000)).toBe(true);

    const entries = receiver.stored("lgs_a");
    const [notice, ...others] = dropped(entries);
    expect(others).toEqual([]);
    const at = entries.findIndex((entry) => entry === notice);
    const before = entries.slice(0, at).map(({ body }) => body);
    const after = entries.slice(at + 1).map(({ body }) => body);
    expect(before).toEqual(numbered(before.length));
    expect(after).toEqual(numbered(60_000).slice(-after.length));
    expect(before.length).toBeGreaterThan(10);
    expect(after.length).toBeGreaterThan(1000);
    expect(notice?.seq).toBe(before.length + 1);
    expect(notice?.body).toContain(
      `${60_000 - before.length - after.length} lines are missing here`,
    );
    expect(bodies("a").at(-1)).toBe("line 59999");
  });

  test("of all logs together has a bound, too", async () => {
    const { receiver, logs, openJobLog, bodies } = await givenAgentLogs({
      maxBytesPerJob: 800_000,
      maxBytes: 900_000,
    });
    receiver.answer(() => refusal(503));
    for (const name of ["a", "b", "c"]) {
      const log = await openJobLog(name);
      await log.pipe(source, asOutput(numbered(name === "b" ? 100 : 30_000)));
      await log.close();
    }
    expect(logs.logSpools.waitingBytes()).toBeLessThan(1_100_000);
    expect(logs.logSpools.oldestWaitingMs()).toBeGreaterThanOrEqual(0);
    receiver.answer(() => accepted);
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("b")).toEqual(numbered(100));
    for (const name of ["a", "c"]) expect(bodies(name).at(-1)).toBe("line 29999");
  });

  test("loses nothing to a broker that is only slower than the job: the job waits for it", async () => {
    const { receiver, logs, openJobLog, bodies } = await givenAgentLogs({
      maxBytesPerJob: 200_000,
    });
    receiver.answer(slowly);
    const log = await openJobLog("a");
    await log.pipe(source, asOutput(numbered(40_000)));
    await log.close();
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a")).toEqual(numbered(40_000));
  });

  test.each([
    ["less than half and twice as much again", [8_000, 8_000, 18_400, 24_000, 24_000]],
    ["pieces that have no room, one by one", [200_000, 200_000]],
  ])("loses nothing of a burst that comes in %s", async (_, sizes) => {
    const { receiver, logs, openJobLog, bodies } = await givenAgentLogs({
      maxBytesPerJob: 1024 * 1024,
    });
    const isFull = Promise.withResolvers<Reply>();
    receiver.answer(() => isFull.promise);
    const log = await openJobLog("a");
    const output = outputOf(sizes.map((size) => Buffer.alloc(size, "aaaaaaa\n")));
    const piped = log.pipe(source, output);
    await expect.poll(() => logs.logSpools.waitingBytes()).toBeGreaterThan(500_000);
    await turns(1_000); // what does not wait for room has none now
    isFull.resolve(accepted);
    await piped;
    await log.close();
    expect(await logs.shipping.allDrained(30_000)).toBe(true);
    expect(dropped(receiver.stored("lgs_a"))).toEqual([]);
    const bytes = sizes.reduce((sum, size) => sum + size);
    expect(bodies("a")).toEqual(Array.from({ length: bytes / 8 }, () => "aaaaaaa"));
  });

  test("loses nothing to a broker that says 429 or 503 with Retry-After: the job waits for it", async () => {
    const { receiver, logs, openJobLog, bodies } = await givenAgentLogs({
      maxBytesPerJob: 200_000,
    });
    let nth = 0;
    const slower = { "retry-after": "0" };
    const replies = [refusal(429, slower), refusal(503, slower), accepted];
    receiver.answer(() => replies[nth++ % replies.length] ?? accepted);
    const log = await openJobLog("a");
    await log.pipe(source, asOutput(numbered(40_000)));
    await log.close();
    expect(await logs.shipping.allDrained(30_000)).toBe(true);
    expect(bodies("a")).toEqual(numbered(40_000));
  });

  test("makes a job wait no more that is stopped, however long the broker says 429; its tail is kept", async () => {
    const { receiver, logs, openJobLog, bodies } = await givenAgentLogs({
      maxBytesPerJob: 400_000,
    });
    receiver.answer(() => refusal(429, { "retry-after": "0" }));
    const log = await openJobLog("a");
    const stop = new AbortController();
    const output = asOutput(numbered(60_000), 4000);
    const piped = log.pipe(source, output, stop.signal);
    await expect.poll(() => logs.logSpools.waitingBytes()).toBeGreaterThan(200_000);
    const { length } = receiver.seen;
    await expect.poll(() => receiver.seen.length).toBeGreaterThan(length + 20);
    expect(logs.logSpools.waitingBytes()).toBeLessThan(400_000);
    stop.abort();
    await piped;
    await log.close();
    receiver.answer(() => accepted);
    expect(await logs.shipping.allDrained(30_000)).toBe(true);
    expect(bodies("a").at(-1)).toBe("line 59999");
    expect(dropped(receiver.stored("lgs_a"))).toHaveLength(1);
  });

  test("sends from memory what the disk refuses", async () => {
    const { dir, logs, openJobLog, bodies } = await givenAgentLogs();
    const log = await openJobLog("a");
    log.write("one");
    await log.flush();
    await rm(join(dir, "exe_a"), { recursive: true });
    await writeFile(join(dir, "exe_a"), "a file where the folder was");
    log.write("two");
    await log.flush();
    expect(logs.logSpools.problem()).toContain("cannot write to");
    await rm(join(dir, "exe_a"));
    log.write("three");
    await log.flush();
    expect(logs.logSpools.problem()).toBeUndefined();
    expect(await readdir(join(dir, "exe_a"))).toContain("stream.json");
    expect(await log.close()).toEqual({ lastRecord: 3 });
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a").slice(-2)).toEqual(["two", "three"]);
  });

  test("of which the disk takes nothing at all is sent all the same, within a bound of memory", async () => {
    const { dir, logs, openJobLog, receiver, bodies } = await givenAgentLogs();
    await rm(dir, { recursive: true });
    await writeFile(dir, "a file where the folder was");
    const log = await openJobLog("a");
    log.write("hello");
    await log.flush();
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a")).toEqual(["hello"]);
    receiver.answer(() => refusal(503));
    await log.pipe(source, asOutput(numbered(120_000)));
    await log.close();
    expect(logs.logSpools.waitingBytes()).toBeLessThan(3_000_000);
    receiver.answer(() => accepted);
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a").at(-1)).toBe("line 119999");
    expect(dropped(receiver.stored("lgs_a"))).toHaveLength(1);
  });

  test("passes over what was spoilt on disk, and uses no number twice", async () => {
    const { dir, logs, open, openJobLog, receiver, bodies } = await givenAgentLogs();
    receiver.answer(() => refusal(503));
    const log = await openJobLog("a");
    for (const line of numbered(60)) {
      log.write(line);
      await log.flush();
    }
    await logs.shipping.stop();
    expect(await spoilLines(join(dir, "exe_a"), ["line 19", "line 59"])).toBe(2);

    receiver.answer(() => accepted);
    const later = await open();
    const again = await openJobLog("a", later);
    again.write("said after it");
    const { lastRecord } = await again.close();
    expect(await later.shipping.allDrained(10_000)).toBe(true);
    expect(lastRecord).toBeGreaterThan(61);
    const kept = numbered(59).filter((line) => line !== "line 19");
    const lines = bodies("a").filter((body) => !body.startsWith("svc-agent:"));
    expect(lines).toEqual([...kept, "said after it"]);
    expect(dropped(receiver.stored("lgs_a")).map(({ seq }) => seq)).toEqual([20]);
    expect(bodies("a").join()).toContain("lines may be missing here");
    expect(later.lines.filter((line) => line.includes("a damaged part"))).toHaveLength(1);
  });

  test("goes on with numbers that cannot have been used when the power was cut, or the disk was full", async () => {
    const { dir, logs, open, openJobLog, bodies } = await givenAgentLogs();
    const log = await openJobLog("a");
    log.write("one");
    await log.flush();
    const file = join(dir, "exe_a", "stream.json");
    const stored = JSON.parse(await readFile(file, "utf8")) as object;
    await logs.shipping.stop();
    await writeFile(file, JSON.stringify({ ...stored, bootId: "another" }));
    const crashed = await open(); // and nothing was written before the next crash
    await crashed.shipping.stop();
    const later = await open();
    const again = await openJobLog("a", later);
    again.write("two");
    expect((await again.close()).lastRecord).toBeGreaterThan(100_000);
    expect(await later.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a").at(-1)).toBe("two");
  });

  test("deletes a file that is no log, with a warning", async () => {
    const { dir, open } = await givenAgentLogs();
    await writeFile(join(dir, "exe_x"), "what is this?");
    const later = await open();
    expect(await readdir(dir)).toEqual([]);
    expect(later.lines.join("")).toContain("a log file is invalid");
  });
});
