import { expect, test } from "vitest";
import { entitiesOfStep, entitiesOfWorkflow } from "./event-entities.ts";
import type { ActionRunRow, Step, Workflow } from "./workflow-rows.ts";

const things = {
  install: {
    id: "ins_1",
    labels: { env: "prod", size: "small", team: "core" },
    app_default_labels: { team: "core" },
  },
  actions: new Map([["act_1", { tier: "gold" }]]),
};
const workflow = { params: { run_id: "awr_1" } } as unknown as Workflow; // what entities are made of
const run = { id: "awr_1", action_id: "act_1" } as ActionRunRow; // likewise
const decided = { workflow, actionRuns: [run], builds: [], install: {} };
const install = { kind: "installs", id: "ins_1", labels: things.install.labels };
const greet = { kind: "actions", id: "act_1", labels: { tier: "gold" } };

test("a workflow is of its install, and of the action that it was asked to run", () => {
  expect(entitiesOfWorkflow(things, decided)).toEqual([install, greet]);
  const plain = { ...decided, workflow: { params: {} } as Workflow };
  expect(entitiesOfWorkflow(things, plain)).toEqual([install]);
  const adhoc = { ...decided, actionRuns: [{ ...run, action_id: null }] };
  expect(entitiesOfWorkflow(things, adhoc)).toEqual([install]);
});

test("a step is of its install, and of the action that it runs, before and after there is a run", () => {
  const step = { target_id: "awr_1", params: {} } as unknown as Step;
  expect(entitiesOfStep(things, decided, step)).toEqual([install, greet]);
  const coming = { target_id: "awr_2", params: { action_id: "act_1" } } as unknown as Step;
  expect(entitiesOfStep(things, decided, coming)).toEqual([install, greet]);
});

test("an install has the labels that the same move gives it", () => {
  const labelTemplates = { size: "{{ .svc.x }}", gone: "{{ .svc.y }}" };
  const change = { labels: { size: "large", team: "other" }, labelTemplates };
  const [first] = entitiesOfWorkflow(things, { ...decided, install: change });
  expect(first?.labels).toEqual({ env: "prod", size: "large", team: "core" });
});
