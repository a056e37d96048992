import { expect, test } from "vitest";
import { planChanges } from "./plan-changes.ts";
import { renderDiff } from "./render-diff.ts";

const change = (address: string, actions: string[], more: object = {}) => ({
  address,
  change: { actions, before: null, after: null, ...more },
});

test("a plan is shown resource by resource, and counted", () => {
  const plan = planChanges({
    terraform_version: "1.11.4",
    resource_changes: [
      change("a.new", ["create"], { after: { size: 1 }, after_unknown: { id: true } }),
      change("a.old", ["delete"], { before: { size: 2 } }),
      change("a.both", ["delete", "create"], { before: { x: "1" }, after: { x: "2" } }),
      change("a.up", ["update"], {
        before: { code: "(sensitive value)", same: "s", n: 1 },
        after: { code: "(sensitive value)", same: "s", n: 2 },
        before_sensitive: { code: true },
        after_sensitive: { code: true },
      }),
      change("a.same", ["no-op"]),
      change("data.a.read", ["read"]),
    ],
    output_changes: { url: { actions: ["create"], before: null, after: "u" } },
  });
  expect(plan.counts).toMatchObject({ add: 2, change: 1, destroy: 2 });
  expect(plan.isTeardown).toBe(false);
  expect(renderDiff(plan, false).split("\n")).toEqual([
    "# a.new will be created",
    "+ a.new",
    "    + id = (known after apply)",
    "    + size = 1",
    "",
    "# a.old will be destroyed",
    "- a.old",
    "    - size = 2",
    "",
    "# a.both must be replaced",
    "-/+ a.both",
    '    ~ x = "1" -> "2"',
    "",
    "# a.up will be changed in place",
    "~ a.up",
    "    ~ code = (sensitive value)",
    "    ~ n = 1 -> 2",
    "",
    "Changes to outputs:",
    '  + url = "u"',
    "",
    "Plan: 2 to add, 1 to change, 2 to destroy.",
  ]);
});

test("a plan that only reads has no changes", () => {
  const plan = planChanges({ resource_changes: [change("data.a.read", ["read"])] });
  expect(plan.hasChanges).toBe(false);
  expect(renderDiff(plan, false)).toBe("No changes: the resources match the configuration.");
});

test("drift is told as what somebody else has done", () => {
  const plan = planChanges({
    resource_drift: [change("a.up", ["update"], { before: { n: 1 }, after: { n: 2 } })],
  });
  expect(renderDiff(plan, true)).toBe(
    "# a.up was changed outside of terraform\n~ a.up\n    ~ n = 1 -> 2\n\n" +
      "Drift: 1 resource was changed outside of terraform.",
  );
});
