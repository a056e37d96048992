import { expect, test } from "vitest";
import { makeShutdownState, type ShutdownRequest } from "./shutdown-state.ts";

const draining = (given: Partial<ShutdownRequest>): ShutdownRequest => ({
  urgency: "draining",
  exit: "done",
  why: "",
  ...given,
});

test("a later order takes the place of an earlier one, with its deadline, whether that gives more time or less", () => {
  const state = makeShutdownState();
  for (const [shutdownId, deadlineMs] of [
    ["shd_1", 1_000],
    ["shd_2", 9_000],
    ["shd_3", 5_000],
  ] as const) {
    state.request(draining({ shutdownId, deadlineMs }));
    expect(state.current()?.deadlineMs).toBe(deadlineMs);
  }
  expect(state.shutdownIds()).toEqual(["shd_1", "shd_2", "shd_3"]);
});

test("no order gives more time than the host does, and no signal more than an order", () => {
  const state = makeShutdownState();
  state.request(draining({ deadlineMs: 2_000 }));
  state.request(draining({ shutdownId: "shd_1", deadlineMs: 9_000 }));
  expect(state.current()?.deadlineMs).toBe(2_000);
  const other = makeShutdownState();
  other.request(draining({ shutdownId: "shd_1", deadlineMs: 2_000 }));
  other.request(draining({ deadlineMs: 9_000 }));
  other.request(draining({}));
  expect(other.current()?.deadlineMs).toBe(2_000);
});

test("what has no deadline takes none away", () => {
  const state = makeShutdownState();
  state.request(draining({}));
  expect(state.current()?.deadlineMs).toBeUndefined();
  state.request(draining({ shutdownId: "shd_1", deadlineMs: 2_000 }));
  expect(state.current()?.deadlineMs).toBe(2_000);
});
