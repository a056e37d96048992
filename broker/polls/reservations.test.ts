import { expect, test } from "vitest";
import type { OrgId } from "../orgs/org-id.ts";
import { makeLooks } from "./looks.ts";
import type { Poll } from "./parked-polls.ts";
import { makeReservations } from "./reservations.ts";

const pollOf = (processId: string | null): Poll => ({
  orgId: "org_1" as OrgId,
  runnerId: "run_1",
  processId,
  pollId: "p1",
  groups: new Map(),
  knownOrders: [],
  settle: () => undefined,
});

test("a process that asks again while it is served is passed over until that is over", () => {
  const reservations = makeReservations();
  const [first, again, other] = [pollOf("prc_1"), pollOf("prc_1"), pollOf("prc_2")];
  reservations.add([first]);
  expect([again, other].map((poll) => reservations.passesOver(poll))).toEqual([true, false]);
  expect(reservations.release([first])).toEqual(["run_1"]);
  expect(reservations.passesOver(again)).toBe(false);
});

test("polls that name no process are apart from each other", () => {
  const reservations = makeReservations();
  const [one, another] = [pollOf(null), pollOf(null)];
  reservations.add([one]);
  expect([one, another].map((poll) => reservations.passesOver(poll))).toEqual([true, false]);
});

test("a look for a poll is one for its process, and only that poll has been looked for after it", async () => {
  const looks = makeLooks();
  const [first, again] = [pollOf("prc_1"), pollOf("prc_1")];
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = looks.during([first], promise);
  expect([looks.isServing(again), looks.wasServed(first)]).toEqual([true, false]);
  resolve();
  await over;
  expect([looks.isServing(again), looks.wasServed(first), looks.wasServed(again)]).toEqual([
    false,
    true,
    false,
  ]);
});
