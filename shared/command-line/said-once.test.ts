import { expect, test } from "vitest";
import { type Entry, sayOnce } from "./said-once.ts";

const entry = (name: string, text: string): Entry => ({ name, typed: `${name} X`, text });
const limit = entry("--limit", "How many.");
const note = entry("--note", "Why.");
const otherNote = entry("--note", "What others read.");

test("what three nouns have is common, what two commands of a noun have is the noun's", () => {
  const once = sayOnce([
    { noun: "job", entries: [limit, note] },
    { noun: "job", entries: [limit, note] },
    { noun: "app", entries: [limit] },
    { noun: "log", entries: [limit] },
  ]);
  expect(once.common).toEqual([limit]);
  expect(once.ofNoun("job")).toEqual([note]);
  expect(once.ofNoun("app")).toEqual([]);
  expect(once.isElsewhere("job", note)).toBe(true);
  expect(once.isElsewhere("app", note)).toBe(false);
});

test("a name has one meaning in a noun: another one stands at its command", () => {
  const once = sayOnce([
    { noun: "job", entries: [otherNote] },
    { noun: "job", entries: [otherNote] },
    { noun: "job", entries: [note] },
    { noun: "app", entries: [note] },
    { noun: "log", entries: [note] },
  ]);
  expect(once.common).toEqual([note]);
  expect(once.ofNoun("job")).toEqual([otherNote]);
  expect(once.isElsewhere("job", otherNote)).toBe(true);
  expect(once.isElsewhere("job", note)).toBe(false);
  expect(once.isElsewhere("app", note)).toBe(true);
});
