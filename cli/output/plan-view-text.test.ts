import { expect, test } from "vitest";
import type { PlanView } from "../../shared/plan-view/plan-view.ts";
import { planViewText } from "./plan-view-text.ts";

const view: PlanView = {
  kind: "plan_view",
  tool: "terraform",
  summary: { added: 2, changed: 1, replaced: 1, removed: 0 },
  drift: { added: 0, changed: 1, removed: 0 },
  is_noop: false,
  changes: [
    {
      address: "bucket.logs",
      type: "bucket",
      name: "logs",
      action: "add",
      fields: [
        { path: "acl", after: "private" },
        { path: "arn", is_unknown: true },
      ],
    },
    {
      address: "db.main",
      type: "db",
      name: "main",
      action: "change",
      fields: [
        { path: "password", is_sensitive: true },
        { path: "tags.team", before: "core" },
        { path: "policy", before: "a".repeat(30), after: "b".repeat(30), is_cut: true },
      ],
      is_cut: true,
    },
    {
      address: "vm.web",
      type: "vm",
      name: "web",
      action: "replace",
      reason: "replace because cannot update",
      fields: [{ path: "ami", before: 1, after: 2, forces_replacement: true }],
    },
    { address: "data.x", type: "x", name: "x", action: "read", fields: [] },
  ],
  outputs: [{ name: "url", action: "change", before: "a", after: "b" }],
  drifted: [
    {
      address: "db.main",
      type: "db",
      name: "main",
      action: "change",
      fields: [{ path: "size", before: 5, after: 6 }],
    },
  ],
  left_out: 1,
};

test("a plan is a line for each change, its fields below it, and what it comes to", () => {
  expect(planViewText(view, 60).split("\n")).toEqual([
    "+ bucket.logs",
    '    acl = "private"',
    "    arn = (known after apply)",
    "~ db.main",
    "    password = (sensitive)",
    '    tags.team: "core" -> (none)',
    "    policy:",
    `      - "${"a".repeat(30)}" (cut)`,
    `      + "${"b".repeat(30)}" (cut)`,
    "    … and more fields",
    "-/+ vm.web (replace because cannot update)",
    "    ami: 1 -> 2  # forces replacement",
    "<= data.x (read during the apply)",
    "",
    "Outputs:",
    '  ~ url: "a" -> "b"',
    "",
    "Changed by others meanwhile:",
    "  ~ db.main",
    "      size: 5 -> 6",
    "",
    "1 more is counted, and not shown.",
    "Changed by others meanwhile: 0 added, 1 changed, 0 removed.",
    "Plan: 2 to add, 1 to change, 1 to replace, 0 to remove.",
  ]);
});

test("a plan that nobody could read is its text, and one without changes says so", () => {
  const { drift: _, ...rest } = view;
  const bare = { ...rest, changes: [], outputs: [], drifted: [], left_out: 0 };
  expect(planViewText({ ...bare, text: "As printed", is_text_cut: true }, 80)).toBe(
    "As printed\n(the rest is cut)\n\nPlan: 2 to add, 1 to change, 1 to replace, 0 to remove.",
  );
  expect(planViewText({ ...bare, is_noop: true }, 80)).toBe("No changes.");
});
