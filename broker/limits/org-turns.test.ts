import { expect, test } from "vitest";
import { orgTurns } from "./org-turns.ts";

test("orgs take turns, however many of one came first; beyond the bounds they are refused", async () => {
  const refusal = () => new Error("too many");
  const turns = orgTurns({ patienceMs: 60_000, mostOfOrg: 4, most: 6, refusal });
  const begin = Promise.withResolvers<void>();
  const served: string[] = [];
  const ask = (orgId: string) =>
    turns.run(orgId, async () => {
      await begin.promise;
      served.push(orgId);
    });
  const asked = ["a", "a", "a", "a", "b", "c"].map(ask);
  await expect(ask("a")).rejects.toThrow("too many");
  await expect(ask("d")).rejects.toThrow("too many");
  begin.resolve();
  await Promise.all(asked);
  expect(served).toEqual(["a", "a", "b", "c", "a", "a"]);
});
