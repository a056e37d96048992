import { expect, test } from "vitest";
import { stepEvent, workflowEvent } from "./event-draft.ts";
import type { Step, Workflow } from "./workflow-rows.ts";

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

const words = { transition: "started", now: "2026-11-27T08:00:00Z" } as const;
const step = { id: "stp_1", kind: "state", target_type: "install_states", target_id: "" } as Step;

test.each([
  ["provision", "account", "runners", "op:runners.provision"],
  ["reprovision", "account", "runners", "op:runners.reprovision"],
  ["provision", "healthy", "runners", "op:installs.provision"],
  ["input_update", "action", "install_action_workflow_runs", "op:actions.run"],
  ["input_update", "state", "install_states", "op:install_configurations.inputs"],
])("of a %s the step %s at %s is told as %s", (type, kind, target_type, slug) => {
  const told = { ...step, kind, target_type };
  const { slugs } = stepEvent({ ...workflow, type }, told, { entities: [], words });
  expect(slugs).toContain(slug);
});

test.each([
  ["install_states", "ist_1", "ist_1"],
  ["install_workflow_steps", "", "stp_1"],
  ["install_states", "", undefined],
])("a step at %s %j tells the target %j", (target_type, target_id, told) => {
  const given = { ...step, target_type, target_id };
  const { data } = stepEvent(workflow, given, { entities: [], words });
  expect(data["step"]).toMatchObject({ target_type });
  expect((data["step"] as { target_id?: string }).target_id).toBe(told);
});
