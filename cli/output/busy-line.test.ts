import { expect, onTestFinished, test, vi } from "vitest";
import { openBusyLine } from "./busy-line.ts";
import type { DrawnLine } from "./status-line.ts";

function setup() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const shown: (DrawnLine | readonly DrawnLine[] | undefined)[] = [];
  const line = openBusyLine({ show: (lines) => void shown.push(lines) });
  let finish: (answer: string) => void = () => {};
  const work = new Promise<string>((resolve) => (finish = resolve));
  return { line, work, finish, last: () => shown.at(-1) };
}

test("what takes over a second is told with its time, until it is done", async () => {
  const { line, work, finish, last } = setup();
  const done = line.during("Reading", work);
  vi.advanceTimersByTime(900);
  expect(last()).toBe(undefined);
  vi.advanceTimersByTime(2_200);
  expect(last()).toBe("Reading … 3s");
  finish("read");
  expect(await done).toBe("read");
  expect(last()).toBe(undefined);
});

test("what a command shows by itself comes first", async () => {
  const { line, work, finish, last } = setup();
  const done = line.during("Reading", work);
  line.show("1 of 2");
  vi.advanceTimersByTime(5_000);
  expect(last()).toBe("1 of 2");
  line.show(undefined);
  expect(last()).toBe("Reading … 5s");
  finish("");
  await done;
});

test("what is done within a second is not told", async () => {
  const { line, finish, work, last } = setup();
  const done = line.during("Reading", work);
  finish("");
  await done;
  vi.advanceTimersByTime(5_000);
  expect(last()).toBe(undefined);
});
