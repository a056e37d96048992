import { expect, test } from "vitest";
import { workflowEvent } from "./event-draft.ts";
import type { Workflow } from "./workflow-rows.ts";

const workflow = {
  id: "wfl_1",
  org_id: "org_1",
  type: "provision",
  owner_id: "ins_1",
  owner_type: "installs",
} as Workflow; // what events are made of

test.each([
  ["short", "short"],
  ["x".repeat(5000), "x".repeat(4096)],
  [`x${"ü".repeat(4000)}`, `x${"ü".repeat(2047)}`],
])("an error is told in 4 KiB, with no half character", (error, told) => {
  const words = { transition: "failed", now: "2026-11-27T08:00:00Z", error } as const;
  const { data } = workflowEvent(workflow, [], words);
  expect(data["outcome"]).toEqual({ status: "failed", error: told, duration_ms: 0 });
});
