import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { eventResources, eventTransitionNames, eventTransitions } from "./event-resources.ts";
import { slugsOf } from "./slugs-of.ts";

test("docs/webhooks.md has the table of resources and ops", async () => {
  const page = await readFile("docs/webhooks.md", "utf8");
  const rows = Object.entries(eventResources).map(
    ([resource, ops]) => `| ${resource} | ${ops.join(", ")} |`,
  );
  const table = ["| resource | ops |", "|---|---|", ...rows].join("\n");
  expect(page).toContain(`<!-- event-resources -->\n${table}\n<!-- /event-resources -->`);
});

test("an event has one slug of its resource, one of what was done, one of what is told", () => {
  for (const transition of eventTransitionNames) {
    const slugs = slugsOf({ resource: "components", op: "deploy", transition });
    const counts = ["resource:", "op:", "event:"].map(
      (kind) => slugs.filter((slug) => slug.startsWith(kind)).length,
    );
    expect(counts).toEqual([1, 1, 1]);
    const outcomes = slugs.filter((slug) => slug.startsWith("outcome:"));
    expect(outcomes).toHaveLength(eventTransitions[transition].outcomes.length);
  }
});

test.each([
  ["started", []],
  ["succeeded", ["outcome:completion"]],
  ["failed", ["outcome:completion", "outcome:failures"]],
  ["cancelled", ["outcome:completion", "outcome:failures"]],
] as const)("%s has the outcomes %j", (transition, outcomes) => {
  expect(slugsOf({ resource: "installs", op: "provision", transition })).toEqual([
    "resource:installs",
    "op:installs.provision",
    `event:lifecycle.${transition}`,
    ...outcomes,
  ]);
});
