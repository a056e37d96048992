import { readdir } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asOutput,
  givenAgentLogs,
  numbered,
  source,
} from "../../support/agent/given-agent-logs.ts";
import { accepted, refusal, type Reply } from "../../support/logs/log-receiver.ts";

const html: Reply = {
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<h1>Sign in</h1>",
};

describe("the shipping of logs", () => {
  test("stores each line once and in order, whatever becomes of requests and answers", async () => {
    const replies: Reply[] = [
      accepted,
      { status: 201, isLost: true },
      { status: 503, headers: { "retry-after": "0" } },
      { status: 500, isLost: true },
      refusal(429, { "retry-after": "0" }),
      refusal(401),
      html,
      { ...html, status: 404 },
      refusal(413),
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (choices) => {
        const { receiver, logs, openJobLog, bodies } = await givenAgentLogs();
        let nth = 0;
        receiver.answer(() => replies[(choices[nth++] ?? 0) % replies.length] ?? accepted);
        const log = await openJobLog("a");
        await log.pipe(source, asOutput(numbered(9000)));
        expect(await log.close()).toEqual({ lastRecord: 9000 });
        await expect.poll(() => logs.logSpools.waitingBytes()).toBe(0);
        expect(bodies("a")).toEqual(numbered(9000));
        const firsts = receiver.seen.map(({ entries }) => entries[0]?.seq ?? 0);
        expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
      }),
      { numRuns: 25, endOnFailure: true }, // to shrink takes longer than a test may
    );
  });

  test("sends a line within a moment, and compressed, without waiting for more", async () => {
    const { openJobLog, bodies } = await givenAgentLogs();
    const log = await openJobLog("a");
    log.write("first");
    await expect.poll(() => bodies("a"), { interval: 10 }).toEqual(["first"]);
    log.write("second");
    await expect.poll(() => bodies("a"), { interval: 10 }).toEqual(["first", "second"]);
    await log.close();
  });

  test("doubts an execution of which the broker says that it is over, and goes on with its log", async () => {
    const doubted: string[] = [];
    const onDoubt = (id: string): void => void doubted.push(id);
    const { receiver, openJobLog, bodies } = await givenAgentLogs({ onDoubt });
    const log = await openJobLog("a");
    log.write("first");
    await expect.poll(() => bodies("a")).toEqual(["first"]);
    expect(doubted).toEqual([]);
    receiver.answer(() => ({ ...accepted, headers: { "svc-execution": "over" } }));
    log.write("second");
    await expect.poll(() => doubted).toEqual(["exe_a"]);
    expect(bodies("a")).toEqual(["first", "second"]);
    await log.close();
  });

  test("halves what is too large, and leaves out a line that is too large by itself", async () => {
    const { receiver, logs, openJobLog, bodies } = await givenAgentLogs();
    receiver.answer(({ body }) => (body.length > 1200 ? refusal(413) : accepted));
    const log = await openJobLog("a");
    for (const line of ["a".repeat(800), "b".repeat(5000), "c".repeat(800), "d"]) log.write(line);
    await log.close();
    expect(await logs.shipping.drained("exe_a", 10_000)).toBe(true);
    expect(bodies("a").map((body) => body.slice(0, 1))).toEqual(["a", "c", "d"]);
    expect(receiver.stored("lgs_a").map(({ seq }) => seq)).toEqual([1, 3, 4]);
    expect(
      logs.lines.filter((line) => line.includes("the broker refused a log line")),
    ).toHaveLength(1);
  });

  test.each([404, 409, 410])(
    "gives up a log when the broker says %i, and no other",
    async (status) => {
      const { receiver, dir, logs, openJobLog, bodies } = await givenAgentLogs();
      receiver.answer(({ path }) => (path.includes("lgs_over") ? refusal(status) : accepted));
      const [over, other] = [await openJobLog("over"), await openJobLog("other")];
      over.write("one");
      other.write("two");
      await expect.poll(() => logs.lines.join("")).toContain("a log is not sent any further");
      over.write("three");
      await Promise.all([over.close(), other.close()]);
      expect(await logs.shipping.allDrained(10_000)).toBe(true);
      expect(bodies("other")).toEqual(["two"]);
      expect(receiver.seen.filter(({ path }) => path.includes("lgs_over"))).toHaveLength(1);
      expect(
        (await readdir(join(dir, "exe_over"))).filter((name) => name.endsWith(".frames")),
      ).toEqual([]);
    },
  );

  test("obeys Retry-After, and does not keep a job's end waiting for a broker that is away", async () => {
    const { receiver, logs, openJobLog } = await givenAgentLogs();
    receiver.answer(() => refusal(503, { "retry-after": "600" }));
    const log = await openJobLog("a");
    log.write("one");
    await log.close();
    expect(await logs.shipping.drained("exe_a", 60_000)).toBe(false);
    expect(receiver.seen).toHaveLength(1);
    expect(await logs.shipping.drained("exe_none", 60_000)).toBe(true);
  });

  test("shares the way between logs", async () => {
    const { receiver, openJobLog, bodies } = await givenAgentLogs();
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    receiver.answer(async ({ path }) => {
      if (path.includes("lgs_loud")) await held;
      return accepted;
    });
    const loud = await Promise.all(
      ["loud1", "loud2", "loud3"].map(async (name) => await openJobLog(name)),
    );
    await Promise.all(loud.map(async (log) => await log.pipe(source, asOutput(numbered(20_000)))));
    const quiet = await openJobLog("quiet");
    quiet.write("one");
    await expect.poll(() => bodies("quiet")).toEqual(["one"]);
    goOn();
    await Promise.all([...loud, quiet].map(async (log) => await log.close()));
    await expect.poll(() => bodies("loud3").length).toBe(20_000);
  });

  test("goes on after a restart with what was left", async () => {
    const { receiver, logs, open, openJobLog, bodies } = await givenAgentLogs();
    receiver.answer(() => refusal(503));
    const log = await openJobLog("a");
    log.write("one\ntwo");
    await log.close();
    await logs.shipping.stop();
    receiver.answer(() => accepted);
    const later = await open();
    expect(await later.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a")).toEqual(["one", "two"]);
  });
});
