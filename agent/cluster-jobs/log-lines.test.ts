import { expect, test } from "vitest";
import { logBeginning, type LogMark, makeLogLines } from "./log-lines.ts";

const at = (nano: number): string => `2026-11-22T10:00:00.${String(nano).padStart(9, "0")}Z`;
const log = [
  `${at(1)} one`,
  `${at(1)} one`,
  `${at(2)} `,
  `${at(2)} two  words`,
  `${at(30)} ${"long".repeat(50)}`,
  `${at(30)} last`,
  "",
].join("\n");
const text = `one\none\n\ntwo  words\n${"long".repeat(50)}\nlast\n`;

function readAll(from: LogMark, connections: readonly Buffer[][]) {
  const lines = makeLogLines(from);
  let read = "";
  const marks: LogMark[] = [];
  const offsets: number[] = [];
  const here = (text: string): number => from.offset + Buffer.byteLength(text);
  for (const chunks of connections) {
    lines.begin();
    for (const chunk of chunks) {
      const piece = lines.feed(chunk);
      offsets.push((piece?.offset ?? here(read)) - here(read));
      read += piece?.bytes.toString() ?? "";
      marks.push(lines.mark());
    }
  }
  expect(new Set([0, ...offsets])).toEqual(new Set([0]));
  return { read, marks };
}

test("a log that breaks off anywhere is read on without a line lost or told twice", () => {
  const whole = Buffer.from(log);
  for (let cut = 0; cut <= whole.length; cut++) {
    const { read } = readAll(logBeginning, [[whole.subarray(0, cut)], [whole]]);
    expect(read).toBe(text);
  }
});

test("whoever goes on from a mark reads what comes after it", () => {
  const whole = Buffer.from(log);
  const bytes = [...whole].map((byte) => Buffer.from([byte]));
  const { read, marks } = readAll(logBeginning, [bytes]);
  expect(read).toBe(text);
  for (const mark of marks) {
    expect(readAll(mark, [[whole]]).read).toBe(text.slice(mark.offset));
  }
});

test("lines before the known ones may be gone: the log was rotated meanwhile", () => {
  const [first = "", ...others] = log.split("\n");
  const rest = Buffer.from(others.slice(3).join("\n"));
  const { read } = readAll(logBeginning, [[Buffer.from(`${first}\n`)], [rest]]);
  expect(read).toBe(`one\n${"long".repeat(50)}\nlast\n`);
});

test("what has no time is read as it is", () => {
  const odd = Buffer.from("unable to retrieve container logs for x\nshort\n\n");
  expect(readAll(logBeginning, [[odd]]).read).toBe(odd.toString());
});

test("times are compared as instants, whatever their zone", () => {
  const east = "2026-11-22T12:00:00.000000002+02:00 two\n";
  const lines = [[Buffer.from(`${at(3)} three\n`)], [Buffer.from(`${east}${at(4)} four\n`)]];
  expect(readAll(logBeginning, lines).read).toBe("three\nfour\n");
});
