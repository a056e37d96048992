import { describe, expect, test } from "vitest";
import { columns, padTo, textWidth, wrap, wrapCommand } from "./terminal-text.ts";

test("the width of a text counts places: two for an ideogram or an emoji, none for an accent", () => {
  expect(["abc", "…→é", "名前", "ｗ", "🚀", "e\u0301", "한글"].map(textWidth)).toEqual([
    3, 3, 4, 2, 2, 1, 4,
  ]);
  expect(padTo("名", 4)).toBe("名  ");
  expect(padTo("long", 2)).toBe("long");
});

test("a text is broken at spaces, and by places; a longer word stays whole", () => {
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("名前 名前 名前", 9)).toEqual(["名前 名前", "名前"]);
  expect(wrap("a https://example.com b", 8)).toEqual(["a", "https://example.com", "b"]);
  expect(wrap("first\nsecond line", 6)).toEqual(["first", "second", "line"]);
});

describe("a command that is broken", () => {
  test("goes on with a backslash, and no line is too wide with it", () => {
    expect(wrapCommand("svc job list --runner run_1", 27)).toEqual(["svc job list --runner run_1"]);
    expect(wrapCommand("svc job list --runner run_1", 26)).toEqual([
      "svc job list \\",
      "--runner run_1",
    ]);
    expect(wrapCommand("svc job list", 9)).toEqual(["svc job \\", "list"]);
    expect(wrapCommand("svc job list", 8)).toEqual(["svc \\", "job list"]);
  });

  test("keeps whole what is quoted, substituted or a flag's value", () => {
    const parts = (command: string): string[] =>
      wrapCommand(command, 1).map((line) => line.replace(/ \\$/, ""));
    expect(parts(`a --b 'c d' "e \\" f" g\\ h $(i j) k`)).toEqual([
      "a",
      "--b 'c d'",
      `"e \\" f"`,
      "g\\ h",
      "$(i j)",
      "k",
    ]);
    expect(parts(`a --b --c d="e f" "$(g | h)" >> i`)).toEqual([
      "a",
      "--b",
      `--c d="e f"`,
      `"$(g | h)"`,
      ">>",
      "i",
    ]);
  });

  test("keeps the lines that it has", () => {
    expect(wrapCommand("a b\nc", 2)).toEqual(["a \\", "b", "c"]);
  });
});

describe("two columns", () => {
  test("are aligned by places", () => {
    const rows = [
      ["名", "one"],
      ["ab c", "two"],
    ] as const;
    expect(columns(rows, 80)).toBe("  名    one\n  ab c  two");
  });

  test("put a row below its name where its longest word has no room beside it", () => {
    const word = "x".repeat(40);
    const rows = [
      ["name", "short"],
      ["other", word],
    ] as const;
    expect(columns(rows, 46)).toBe(`  name   short\n  other\n      ${word}`);
    expect(columns(rows, 49)).toBe(`  name   short\n  other  ${word}`);
  });
});
