import { describe, expect, test } from "vitest";
import { parseOutputText } from "./output-text.ts";

describe("an outputs file", () => {
  test("has a line for each short value, which may hold anything but a line's end", () => {
    const text = "url=https://example.com/?a=b<<c\r\n\nempty=\nspaced =  x \n";
    expect(parseOutputText(text)).toEqual([
      { name: "url", value: "https://example.com/?a=b<<c" },
      { name: "empty", value: "" },
      { name: "spaced", value: "  x " },
    ]);
  });

  test("has long values between delimiters", () => {
    const text = "first<<END\na=1\n\nb<<X\nEND\nsecond << EOF\nEOF\nlast=3";
    expect(parseOutputText(text)).toEqual([
      { name: "first", value: "a=1\n\nb<<X" },
      { name: "second", value: "" },
      { name: "last", value: "3" },
    ]);
  });

  test("is read in one pass, however long its lines are", () => {
    const long = `x${" ".repeat(2_000_000)}x`;
    expect(() => parseOutputText(long)).toThrow("line 1 must be name=value");
    expect(parseOutputText(`${long}=1`)).toEqual([{ name: long, value: "1" }]);
  });

  test("may be one JSON object", () => {
    expect(parseOutputText('\n {"a": [1], "b": {"c": null}}\n')).toEqual([
      { name: "a", value: [1] },
      { name: "b", value: { c: null } },
    ]);
  });

  test.each([
    ["a=1\nnonsense\n", "line 2 must be name=value"],
    ["a=1\nb<<END\nx\ny\n", "line 2: the end of b, a line END, is missing"],
    ["b<<\nx", "line 1: the delimiter after b<< is missing"],
    ["=x", "line 1 must be name=value"],
    ['{"a": ', "it is not a JSON object: line 1, column 7"],
    ['{"a":\n 1,\n "b": s3cret}', "line 3, column 7"],
    ['{"a": "b" s3cret}', "line 1, column 11"],
    ['{"a": "b",}', "line 1, column 11"],
    ["{'a': 1}", "line 1, column 2"],
    ['{"a": 1} s3cret', "line 1, column 10"],
  ])("%j is wrong, and it is said where", (text, words) => {
    expect(() => parseOutputText(text)).toThrow(words);
    expect(() => parseOutputText(text)).not.toThrow("s3cret");
  });
});
