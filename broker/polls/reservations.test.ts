import { expect, test } from "vitest";
import type { OrgId } from "../orgs/org-id.ts";
import type { Poll } from "./parked-polls.ts";
import { makeReservations } from "./reservations.ts";
import { makeSearches } from "./searches.ts";

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

test("a search for a poll is one for its process, and only that poll counts as served after it", async () => {
  const searches = makeSearches();
  const [first, again] = [pollOf("prc_1"), pollOf("prc_1")];
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = searches.during([first], promise);
  expect([searches.isServing(again), searches.wasServed(first)]).toEqual([true, false]);
  resolve();
  await over;
  expect([searches.isServing(again), searches.wasServed(first), searches.wasServed(again)]).toEqual(
    [false, true, false],
  );
});
