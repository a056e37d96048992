import { expect, test } from "vitest";
import { openStatusLine } from "./status-line.ts";

const clear = "\r\u001B[K";

function setup(columns: number, isTTY = true) {
  let out = "";
  const write = (text: string): boolean => {
    out += text;
    return true;
  };
  const line = openStatusLine({ isTTY, columns, write });
  return { line, write, out: () => out };
}

test("a status line is drawn anew below what is written", () => {
  const { line, write, out } = setup(80);
  line.above(() => write("one\n"));
  line.show("1 of 2");
  line.show("1 of 2");
  line.above(() => write("two\n"));
  line.show(undefined);
  line.above(() => write("three\n"));
  expect(out()).toBe(`one\n1 of 2${clear}two\n1 of 2${clear}three\n`);
});

test("a status line is one line, never as wide as the terminal, and steers nothing", () => {
  const narrow = setup(30);
  narrow.line.show(`a\u001B[2J\n${"b".repeat(100)}`);
  expect(narrow.out()).toBe(`a [2J ${"b".repeat(22)}…`);
  const wide = setup(30);
  wide.line.show("字".repeat(100));
  expect(wide.out()).toBe(`${"字".repeat(14)}…`);
});

test("several lines are taken back together, and are never more than fit", () => {
  const { line, write, out } = setup(20);
  line.show(["one", { faint: "two" }, ""]);
  line.above(() => write("above\n"));
  line.show(["three"]);
  const drawn = "one\n\u001B[2mtwo\u001B[22m\n";
  const taken = "\r\u001B[2A\u001B[J";
  expect(out()).toBe(`${drawn}${taken}above\n${drawn}${taken}three`);
  line.show(Array.from({ length: 100 }, (_, at) => `${at}`));
  line.show(undefined);
  expect(out().endsWith(`22\r\u001B[22A\u001B[J`)).toBe(true);
});

test("nothing is shown where there is no terminal", () => {
  const { line, out } = setup(80, false);
  line.show("1 of 2");
  line.above(() => {});
  expect(out()).toBe("");
});
