import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../../broker/logs/log-record.ts";
import { asOutput, givenAgentLogs, numbered, source } from "../../support/given-agent-logs.ts";
import { accepted, refusal } from "../../support/log-receiver.ts";

describe("a spool of logs", () => {
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
    expect(notice?.body).toContain(`${60_000 - before.length - after.length} lines were dropped`);
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
    const turn = async (): Promise<void> =>
      await new Promise((resolve) => void setImmediate(resolve));
    receiver.answer(async () => {
      for (let nth = 0; nth < 50; nth++) await turn();
      return accepted;
    });
    const log = await openJobLog("a");
    await log.pipe(source, asOutput(numbered(40_000)));
    await log.close();
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a")).toEqual(numbered(40_000));
  });

  test("goes on without the lines that the disk refused", async () => {
    const { dir, logs, openJobLog, receiver } = await givenAgentLogs();
    const log = await openJobLog("a");
    log.write("one");
    await log.flush();
    await rm(join(dir, "exe_a"), { recursive: true });
    await writeFile(join(dir, "exe_a"), "a file where the folder was");
    log.write("two");
    await log.flush();
    expect(logs.logSpools.problem()).toContain("cannot be written");
    expect(await log.close()).toEqual({ lastRecord: 2 });
    expect(
      receiver
        .stored("lgs_a")
        .map(({ seq }) => seq)
        .filter((seq) => seq !== 1),
    ).toEqual([]);
  });

  test("deletes a file that is no log, with a warning", async () => {
    const { dir, open } = await givenAgentLogs();
    await writeFile(join(dir, "exe_x"), "what is this?");
    const later = await open();
    expect(await readdir(dir)).toEqual([]);
    expect(later.lines.join("")).toContain("a log makes no sense");
  });
});
