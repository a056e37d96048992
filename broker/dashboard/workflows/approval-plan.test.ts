import { expect, test } from "vitest";
import { planViewOf } from "../../../shared/plan-view/plan-view-of.ts";
import { approvalPlan } from "./approval-plan.ts";

const viewOf = (resource_changes: object[]) =>
  planViewOf({
    type: "terraform-deploy",
    shown: { resource_changes, output_changes: { url: { actions: ["create"], after: "<o>" } } },
    summary: undefined,
    text: "",
    secrets: [],
  });

test("a view is shown as a list of changes, in which nothing is markup", async () => {
  const change = {
    actions: ["update"],
    before: { a: "<b>" },
    after: { a: "<script>alert(1)</script>" },
  };
  const view = viewOf([{ address: 'x["<i>"]', type: "x", name: "y", change }]);
  const page = String(await approvalPlan("The plan", { ...view }));
  expect(page).toContain("Plan: 0 to add, 1 to change, 0 to remove.");
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(page).toContain("x[&quot;&lt;i&gt;&quot;]");
  expect(page).not.toMatch(/<script|<i>|<b>|<o>/);
  expect(page).toContain("<details open>");
});

test("a large view is a page of a bounded length, which says what it leaves out", async () => {
  const many = Array.from({ length: 1_500 }, (_, n) => ({
    address: `x.${n}`,
    type: "x",
    name: "y",
    change: { actions: [n > 1_490 ? "delete" : "create"], after: { text: "v".repeat(2_000) } },
  }));
  const page = String(await approvalPlan("The plan", { ...viewOf(many) }));
  expect(page.length).toBeLessThan(500_000);
  expect(page).toContain("200 of 1000, removals and replacements before others.");
  expect(page).toContain("x.1499<");
  expect(page).toContain("x.0<");
  expect(page.indexOf("x.0<")).toBeLessThan(page.indexOf("x.1499<"));
  expect(page).toContain("500 more are counted, and not shown.");
});

test("what is no view is shown as it is", async () => {
  const page = String(await approvalPlan("The plan", { steps: [{ name: "a" }] }));
  expect(page).toContain("<pre");
  expect(page).toContain("steps");
});
