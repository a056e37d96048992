import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { ArchiveEntry } from "../../../shared/tar/archive-entry.ts";
import { digestEntries } from "./digest-entries.ts";

const file = (name: string, text: string, more: Partial<ArchiveEntry> = {}): ArchiveEntry => ({
  name,
  kind: "file",
  mode: 0o644,
  target: "",
  body: Readable.from([Buffer.from(text)]),
  ...more,
});

async function digestOf(...given: readonly ArchiveEntry[]): Promise<string> {
  const { entries, digest } = digestEntries(Readable.from(given));
  const read: string[] = [];
  for await (const { body } of entries) {
    for await (const piece of body) read.push(Buffer.from(piece).toString());
  }
  return `${digest()} ${read.join("")}`;
}

describe("the digest of a folder's entries", () => {
  test("is that of the same files, and passes their contents on", async () => {
    const first = await digestOf(file("a", "1"), file("b", "2"));
    expect(first).toMatch(/^sha256:[0-9a-f]{64} 12$/);
    expect(await digestOf(file("a", "1", { mode: 0o600 }), file("b", "2"))).toBe(first);
  });

  test.each([
    ["a name", [file("c", "1"), file("b", "2")]],
    ["a content", [file("a", "12"), file("b", "")]],
    ["what may be run", [file("a", "1", { mode: 0o755 }), file("b", "2")]],
    ["where a link leads", [file("a", "1"), file("b", "2", { kind: "link", target: "a" })]],
  ])("is another one with %s", async (_what, entries) => {
    const first = await digestOf(file("a", "1"), file("b", "2"));
    const [digest] = (await digestOf(...entries)).split(" ");
    expect(first).not.toContain(digest);
  });
});
