import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import pino from "pino";
import { describe, expect, test } from "vitest";
import { openLogSpools } from "../../../agent/spool/log-spools.ts";
import {
  asOutput,
  givenAgentLogs,
  numbered,
  source,
} from "../../support/agent/given-agent-logs.ts";

/** A file that goes meanwhile has none. */
const sizeOf = async (file: string): Promise<number> =>
  await stat(file).then(
    ({ size }) => size,
    () => 0,
  );

describe("a spool of logs", () => {
  test("keeps next to nothing of a log that has ended and was sent, and goes on after it at the next number", async () => {
    const { receiver, dir, logs, openJobLog, bodies } = await givenAgentLogs({});
    const log = await openJobLog("a");
    await log.pipe(source, asOutput(numbered(9_000), 4000));
    expect(await log.close()).toEqual({ lastRecord: 9_000 });
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    const folder = join(dir, "exe_a");
    const kept = async (): Promise<number> => {
      const sizes = (await readdir(folder)).map(async (name) => await sizeOf(join(folder, name)));
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    };
    await expect.poll(kept).toBeLessThan(16 * 1024);
    const sent = receiver.seen.length;
    const later = await openLogSpools({ dir, log: pino({ level: "silent" }) });
    const again = later.find("exe_a");
    expect(again?.nextSeq()).toBe(9_001);
    expect(await again?.next(1_000_000)).toBeUndefined();
    expect(again?.isDone()).toBe(true);
    expect(receiver.seen).toHaveLength(sent);
    expect(bodies("a")).toEqual(numbered(9_000));
  });
});
