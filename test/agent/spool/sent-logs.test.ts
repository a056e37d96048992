import { watch } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  asOutput,
  givenAgentLogs,
  numbered,
  source,
} from "../../support/agent/given-agent-logs.ts";
import { action, givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { accepted, refusal } from "../../support/logs/log-receiver.ts";
import { testFolder } from "../../support/run/folder.ts";

/** All that the files in a folder hold. */
async function textIn(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const texts = names.map((name) => readFile(path.join(folder, name), "latin1").catch(() => ""));
  return (await Promise.all(texts)).join("");
}

describe("what was sent of a log that goes on", () => {
  test("leaves the disk, and the log goes on after it", async () => {
    const { receiver, dir, logs, openJobLog, bodies } = await givenAgentLogs();
    const folder = path.join(dir, "exe_a");
    const log = await openJobLog("a");
    for (const word of ["one", "two", "three"]) {
      log.write(`the line ${word}`);
      await log.flush();
      await expect.poll(() => bodies("a").at(-1)).toBe(`the line ${word}`);
      await expect.poll(() => textIn(folder)).not.toContain("the line");
    }
    const sent = receiver.seen.length;
    await log.close();
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a")).toEqual(["the line one", "the line two", "the line three"]);
    expect(receiver.seen).toHaveLength(sent);
  });

  test("leaves it while the log grows so fast that something always waits", async () => {
    const { dir, logs, receiver, openJobLog, bodies } = await givenAgentLogs();
    const folder = path.join(dir, "exe_a");
    const log = await openJobLog("a");
    const write = async (nth: number): Promise<void> => {
      log.write(`the line ${nth}.`);
      await log.flush();
    };
    let count = 1;
    receiver.answer(async ({ entries }) => {
      // Before it is taken, more has come behind it; and what was taken before it has gone.
      if (count < 20) await write(++count);
      const before = (entries[0]?.seq ?? 1) - 1;
      await until(async () => !(await textIn(folder)).includes(`the line ${before}.`));
      return accepted;
    });
    await write(1);
    await until(() => bodies("a").length === 20);
    await log.close();
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a")).toEqual(Array.from({ length: 20 }, (_, at) => `the line ${at + 1}.`));
  });

  test("stays until it is taken", async () => {
    const { receiver, dir, logs, openJobLog, bodies } = await givenAgentLogs();
    receiver.answer(() => refusal(503));
    const log = await openJobLog("a");
    await log.pipe(source, asOutput(numbered(500)));
    await log.flush();
    await until(() => receiver.seen.length > 3);
    expect(await textIn(path.join(dir, "exe_a"))).toContain("line 499");
    receiver.answer(() => accepted);
    await log.close();
    expect(await logs.shipping.allDrained(10_000)).toBe(true);
    expect(bodies("a")).toEqual(numbered(500));
  });
});

test.each([
  ["made", 0],
  ["begun", 1],
  ["written in part", 30],
  ["written but for its last byte", -1],
  ["written", Number.POSITIVE_INFINITY],
])(
  "a removal that was cut off when the end was %s is gone on with: no line is lost or sent twice",
  async (_, length) => {
    const { receiver, dir, logs, openJobLog, open, bodies } = await givenAgentLogs();
    const folder = path.join(dir, "exe_a");
    const segments = async (): Promise<string[]> =>
      (await readdir(folder)).filter((name) => name.endsWith(".frames"));
    receiver.answer(() => refusal(503));
    const log = await openJobLog("a");
    await log.pipe(source, asOutput(numbered(50)));
    await log.flush();
    const [first = ""] = await segments();
    const sent = await readFile(path.join(folder, first));
    receiver.answer(() => accepted);
    await expect.poll(segments).not.toContain(first);
    const [second = ""] = await segments();
    const end = await readFile(path.join(folder, second));
    await logs.shipping.stop();

    await writeFile(path.join(folder, first), sent);
    await writeFile(path.join(folder, second), end.subarray(0, length));
    const later = await open();
    const again = await openJobLog("a", later);
    again.write("after it");
    await again.flush();
    await expect.poll(() => bodies("a")).toEqual([...numbered(50), "after it"]);
    await expect.poll(segments).not.toContain(first);
    await later.shipping.stop();
    const spool = (await open()).logSpools.find("exe_a");
    expect(spool?.nextSeq()).toBe(52);
    expect(spool?.runs.get("1")?.offset).toBe(numbered(50).join(" ").length + 1);
  },
);

test("an agent that is killed at any step of the removal loses no line and sends none twice", async () => {
  const fleet = await givenFleet();
  const runner = await givenKillableAgent(fleet);
  const go = path.join(await testFolder(0o777), "go");
  const script = `n=0; until [ -e ${go} ]; do n=$((n + 1)); echo "line $n"; sleep 0.02; done; echo "end $n"`;
  const job = await runner.enqueue(action([{ name: "a", interpolated_inline_contents: script }]));
  const folder = path.join(runner.first.dataDir, "logs");
  let agent = runner.first;
  // A removal is: a file is made, written, and the one before it is taken away; each is an event of the folder's.
  for (const nth of [1, 2, 3, 4, 5, 6]) {
    await afterRemovals(folder, nth);
    await runner.kill(agent);
    agent = await runner.again();
  }
  await writeFile(go, "");
  expect((await runner.ended(job)).status).toBe("finished");
  const lines = (await runner.logOf(job)).filter((line) => /^(?:line|end) \d+$/.test(line));
  const count = Number(lines.at(-1)?.slice(4));
  expect(lines.slice(0, -1)).toEqual(Array.from({ length: count }, (_, at) => `line ${at + 1}`));
});

/** Resolves at the so-many-th event in the log's folder after a segment was taken away there. */
async function afterRemovals(folder: string, nth: number): Promise<void> {
  await until(async () => (await readdir(folder).catch(() => [])).length > 0);
  const [name = ""] = await readdir(folder);
  const { promise, resolve } = Promise.withResolvers<void>();
  let events = 0;
  const watcher = watch(path.join(folder, name), (kind) => {
    if (kind === "rename") events += 1;
    if (events >= 4 + nth) resolve();
  });
  onTestFinished(() => watcher.close());
  await promise;
  watcher.close();
}
