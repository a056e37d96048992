import { expect, test } from "vitest";
import { logLine } from "./log-line.ts";

const esc = String.fromCodePoint(27);
const bell = String.fromCodePoint(7);
const steering = `${esc}]0;owned${bell}a${esc}[2Jb${esc}[31mred${esc}[0m${bell}\tc\r`;

test("a line has its step before it", () => {
  const screen = { isTerminal: false, hasColor: false };
  expect(logLine(screen, { body: "hello", step: "greet" })).toBe("greet │ hello");
  expect(logLine(screen, { body: "hello" })).toBe("hello");
});

test("a pipe gets what was printed, byte for byte", () => {
  expect(logLine({ isTerminal: false, hasColor: false }, { body: steering })).toBe(steering);
});

test("a terminal gets colours, and nothing that steers it", () => {
  expect(logLine({ isTerminal: true, hasColor: true }, { body: steering })).toBe(
    `ab${esc}[31mred${esc}[0m\tc${esc}[0m`,
  );
  expect(logLine({ isTerminal: true, hasColor: false }, { body: steering })).toBe("abred\tc");
});
