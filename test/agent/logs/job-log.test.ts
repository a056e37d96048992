import { cp, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeRedactor } from "../../../agent/logs/redactor.ts";
import type { LogEntry } from "../../../broker/logs/store/log-record.ts";
import { outputOf } from "../../support/agent/child-output.ts";
import { cutAt, streamed } from "../../support/agent/redacted-stream.ts";
import { openTestLogs, startLogReceiver } from "../../support/logs/log-receiver.ts";
import { testFolder } from "../../support/run/folder.ts";

const streamId = "lgs_a";
const spec = { executionId: "exe_a", streamId, attributes: { "runner_job.id": "job_a" } };
const source = { step: "build", run: "1/command" };

async function setup(secrets: readonly string[] = []) {
  const receiver = await startLogReceiver();
  const dir = await testFolder(0o700);
  const logs = await openTestLogs({ url: receiver.url, dir });
  const redactor = makeRedactor(secrets);
  const jobLog = await logs.openJobLog(spec, redactor);
  const stored = (): LogEntry[] => receiver.stored(streamId);
  const close = async (): Promise<LogEntry[]> => {
    const { lastRecord } = await jobLog.close();
    expect(await logs.shipping.drained(spec.executionId, 10_000)).toBe(true);
    expect(stored().map(({ seq }) => seq)).toEqual(
      Array.from({ length: lastRecord }, (_, at) => at + 1),
    );
    return stored();
  };
  return { receiver, dir, logs, redactor, jobLog, stored, close };
}

/** The lines as they were before they were cut for size. */
function joined(entries: readonly LogEntry[]): string[] {
  const lines: string[] = [];
  let isOpen = false;
  for (const { body, attributes } of entries) {
    if (isOpen) lines.push((lines.pop() ?? "") + body);
    else lines.push(body);
    isOpen = attributes["svc.continued"] === true;
  }
  return lines;
}

describe("a job's log", () => {
  test("numbers, times and tags its lines, in the order in which they were said", async () => {
    const { jobLog, close } = await setup();
    jobLog.write("starting", "warn", "build");
    await jobLog.pipe(source, outputOf([Buffer.from("one\ntw"), Buffer.from("o\r\n\nthree")]));
    jobLog.write("two\nlines of our own");
    const entries = await close();
    expect(entries.map(({ body, severity, step }) => [body, severity, step])).toEqual([
      ["starting", 13, "build"],
      ["one", 9, "build"],
      ["two", 9, "build"],
      ["", 9, "build"],
      ["three", 9, "build"],
      ["two", 9, undefined],
      ["lines of our own", 9, undefined],
    ]);
    expect(entries[1]).toMatchObject({
      atUs: 1_700_000_000_000_000,
      executionId: "exe_a",
      resource: { "runner_job.id": "job_a", "log_stream.id": streamId },
    });
    expect(entries[2]?.atUs).toBe(1_700_000_000_000_000);
    expect(entries[3]?.atUs).toBe(1_700_000_000_006_000);
  });

  test("writes and sends nothing that is secret, and knows a secret from the byte after it was told", async () => {
    const { jobLog, redactor, receiver, dir, close } = await setup(["hunter22"]);
    jobLog.write("the password is hunter22");
    await jobLog.pipe(
      source,
      outputOf([Buffer.from("it is hun"), Buffer.from("ter22\nand late-secret\n")]),
    );
    redactor.add("late-secret");
    await jobLog.pipe(
      { ...source, run: "2" },
      outputOf([Buffer.from("not late-"), Buffer.from("secret")]),
    );
    const entries = await close();
    expect(entries.map(({ body }) => body)).toEqual([
      "the password is ***",
      "it is ***",
      "and late-secret",
      "not ***",
    ]);
    const wire = Buffer.concat(receiver.seen.map(({ body }) => body)).toString("latin1");
    expect(wire).not.toContain("hunter22");
    for (const name of await readdir(join(dir, "exe_a"))) {
      expect(await readFile(join(dir, "exe_a", name), "latin1")).not.toContain("hunter22");
    }
  });

  test("shows what is no UTF-8, and never cuts a character in two", async () => {
    const { jobLog, close } = await setup();
    const bytes = Buffer.concat([
      Buffer.from("gr\u00fcn \u{1f511}\n"),
      Buffer.from([0x61, 0xff, 0xc3, 0x0a]),
      Buffer.from("ok\u0000\n"),
    ]);
    await jobLog.pipe(
      source,
      outputOf(
        cutAt(
          bytes,
          Array.from({ length: bytes.length }, (_, at) => at),
        ),
      ),
    );
    expect((await close()).map(({ body }) => body)).toEqual([
      "gr\u00fcn \u{1f511}",
      "a\ufffd\ufffd",
      "ok\u2400",
    ]);
  });

  test("cuts a line without end into pieces that say that they go on", async () => {
    const { jobLog, close } = await setup();
    const line = "\u00e4\u20ac\u{1f511}x".repeat(60_000);
    await jobLog.pipe(source, outputOf([Buffer.from(`${line}\nnext\n`)]));
    const entries = await close();
    expect(joined(entries)).toEqual([line, "next"]);
    expect(entries.length).toBeGreaterThan(9);
    for (const { body } of entries) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536);
  });

  test("shows a progress bar and a question before their line has ended", async () => {
    const { jobLog, stored, close } = await setup();
    let goOn = (): void => {};
    const more = new Promise<void>((resolve) => (goOn = resolve));
    const output = {
      async *[Symbol.asyncIterator]() {
        yield { bytes: Buffer.from("1 %\r2 %\r3"), offset: 0, atMs: Date.now() };
        await more;
        yield { bytes: Buffer.from(" %\nsure? "), offset: 9, atMs: Date.now() };
      },
      release: () => {},
    };
    let nowMs = Math.ceil(performance.now()); // a fraction could be rounded to less than the 2 s below
    const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    const piped = jobLog.pipe(source, output);
    await expect.poll(() => stored().map(({ body }) => body)).toEqual(["1 %\r2 %\r"]);
    nowMs += 2_000; // nothing comes for so long
    await expect.poll(() => stored().map(({ body }) => body)).toEqual(["1 %\r2 %\r", "3"]);
    clock.mockRestore();
    goOn();
    await piped;
    expect(joined(await close())).toEqual(["1 %\r2 %\r3 %", "sure? "]);
  });

  test("says how much of an output was gone before it was read", async () => {
    const { jobLog, close } = await setup();
    const output = {
      async *[Symbol.asyncIterator]() {
        yield { bytes: Buffer.from("ab\n"), offset: 0, atMs: 1 };
        yield { bytes: Buffer.from("c\n"), offset: 103, atMs: 1 };
      },
      release: () => {},
    };
    await jobLog.pipe(source, output);
    const lines = (await close()).map(({ body }) => body);
    expect(lines).toEqual(["ab", "svc-agent: 100 bytes of the output are missing here.", "c"]);
  });

  test("opened again after a crash has each line once, whatever had reached the disk", async () => {
    const word = fc.oneof(
      fc.constantFrom("secret-word", "\n", "\n", "\r\n", "\u20ac", "plain "),
      fc.string({ maxLength: 9 }),
    );
    const text = fc.array(word, { minLength: 1, maxLength: 80 }).map((words) => words.join(""));
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.nat(), { maxLength: 9 }),
        fc.nat(),
        fc.nat({ max: 60 }),
        async (text, cuts, stop, torn) => {
          const pieces = cutAt(Buffer.from(text), cuts);
          const read = pieces.slice(0, stop % (pieces.length + 1));
          const receiver = await startLogReceiver();
          const dir = await testFolder(0o700);
          const redactor = makeRedactor(["secret-word"]);
          const first = await openTestLogs({ url: receiver.url, dir: join(dir, "first") });
          const crashed = await first.openJobLog(spec, redactor);
          const output = { [Symbol.asyncIterator]: () => hanging(read, crashed.flush) };
          await crashed.pipe(source, { ...output, release: () => {} }).catch(() => {});
          await first.shipping.stop();
          await copyWhileFilesGo(join(dir, "first"), join(dir, "second"));
          await tearLast(join(dir, "second", "exe_a"), torn);

          const second = await openTestLogs({ url: receiver.url, dir: join(dir, "second") });
          const again = await second.openJobLog(spec, redactor);
          await again.pipe(source, outputOf(pieces));
          const { lastRecord } = await again.close();
          expect(await second.shipping.drained("exe_a", 10_000)).toBe(true);
          await crashed.close();
          const entries = receiver.stored(streamId);
          expect(entries.map(({ seq }) => seq)).toEqual(
            Array.from({ length: lastRecord }, (_, at) => at + 1),
          );
          const whole = Buffer.from(streamed(redactor, [Buffer.from(text)]), "latin1").toString();
          const expected = whole.split("\n").map((line) => line.replace(/\r$/, ""));
          if (expected.at(-1) === "") expected.pop();
          expect(joined(entries)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  }); // each run waits for a dozen writes to be safe on disk, which a busy disk takes its time for
});

/** Reads the pieces, each safely on disk before the next, and breaks off as a killed process does. */
async function* hanging(pieces: readonly Buffer[], flush: () => Promise<void>) {
  let offset = 0;
  for (const bytes of pieces) {
    if (bytes.length > 0) yield { bytes, offset, atMs: 1_700_000_000_000 };
    offset += bytes.length;
    await flush();
  }
  throw new Error("killed");
}

/** Copies a folder whose files may be removed meanwhile: begins again, as long as one is. */
async function copyWhileFilesGo(from: string, to: string): Promise<void> {
  for (let left = 20; ; left -= 1) {
    try {
      return await cp(from, to, { recursive: true });
    } catch (error) {
      if (left === 0 || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      await rm(to, { recursive: true, force: true });
    }
  }
}

/** Takes so many bytes off the end of the last file, as if they had not reached the disk. */
async function tearLast(dir: string, bytes: number): Promise<void> {
  const last = (await readdir(dir))
    .filter((name) => name.endsWith(".frames"))
    .sort()
    .at(-1);
  if (last === undefined) return;
  const path = join(dir, last);
  await truncate(path, Math.max(0, (await stat(path)).size - bytes));
}
