import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { findApplyPlan, NotApplicable } from "../../../broker/deploys/planned/apply-plan.ts";
import { findPlanned } from "../../../broker/deploys/planned/read-planned.ts";
import { readPlanView } from "../../../shared/plan-view/plan-view.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenProcess, givenRunner } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { broker, call } = await startBroker({ url });
const type = "terraform-deploy";
const noise = (bytes: number): string => randomBytes(bytes).toString("base64");
const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");

/** A planning job of this plan, which has brought this. */
async function setup(plan: object, result: object) {
  const runner = await givenRunner(db);
  const process_id = await givenProcess(db, runner);
  const { orgId, runnerId } = runner;
  const admin = await givenToken(db, { orgId });
  const token = await givenToken(db, { orgId, runnerId });
  const made = await call<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, {
    token: admin,
    body: { type, operation: "create-apply-plan", plan },
  });
  const jobId = made.body.id;
  const claimed = await call<{ jobs: { execution: { id: string } }[] }>(
    `POST /v1/runners/${runnerId}/jobs/claim`,
    { token, body: { process_id, poll_id: "p", groups: { deploy: 1 } } },
  );
  const execution = claimed.body.jobs[0]?.execution.id ?? "";
  await call(`POST /v1/runner-jobs/${jobId}/executions/${execution}/finish`, {
    token,
    body: { status: "finished", result: { success: true, ...result } },
  });
  return { orgId, job: { jobId, type } as const };
}

const resource = (n: number, actions = ["create"]) => ({
  address: `x.n${n}`,
  type: "x",
  name: `n${n}`,
  change: { actions, after: { n, text: noise(300) } },
});

test("a short result is read at once, and applied byte for byte", async () => {
  const plan = {
    src_registry: { repository: "r", ociauth: { password: "p-of-job" } },
    terraform: {},
  };
  const contents_compressed = Buffer.from("PK plan").toString("base64");
  const shown = { resource_changes: [resource(1), resource(2, ["delete"])] };
  const { orgId, job } = await setup(plan, {
    contents: JSON.stringify({ has_changes: true, source_revision: "rev" }),
    contents_compressed,
    contents_display_compressed: packed(shown),
  });
  const planned = await findPlanned(broker, orgId, job);
  expect(planned).toMatchObject({
    isNoOp: false,
    counts: { added: 1, changed: 0, replaced: 0, removed: 1 },
    obstacle: undefined,
  });
  const text = await findApplyPlan(broker, orgId, job);
  expect(
    text.startsWith('{"src_registry":{"repository":"r"},"terraform":{},"apply_plan_contents":'),
  ).toBe(true);
  expect(JSON.parse(text)).toMatchObject({
    apply_plan_contents: contents_compressed,
    approved: { source_revision: "rev" },
  });
});

test("a long one is read by a child, and shown within its bounds", async () => {
  const pad = noise(2 ** 20);
  const contents_compressed = noise(2 ** 20);
  const many = { resource_changes: Array.from({ length: 3_000 }, (_, n) => resource(n)) };
  const { orgId, job } = await setup(
    { pad, terraform: {} },
    { contents_compressed, contents_display_compressed: packed(many) },
  );
  const planned = await findPlanned(broker, orgId, job);
  expect(planned).toMatchObject({ isNoOp: false, counts: { added: 3_000 }, obstacle: undefined });
  const view = readPlanView(JSON.parse(planned.view));
  expect(view).toMatchObject({ left_out: 2_000 });
  expect(view?.changes).toHaveLength(1_000);
  const text = await findApplyPlan(broker, orgId, job);
  expect(text.startsWith(`{"pad":"${pad}","terraform":{},"apply_plan_contents":`)).toBe(true);
  expect(JSON.parse(text)).toMatchObject({ apply_plan_contents: contents_compressed });
});

test("what unpacks to far more than it is costs no more, and is shown by its text", async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20, " ")).toString("base64");
  const { orgId, job } = await setup(
    {},
    {
      contents: JSON.stringify({ has_changes: true, add: 2 }),
      contents_display: "Plan: 2 to add",
      contents_compressed: "UEs=",
      contents_display_compressed: bomb,
    },
  );
  const planned = await findPlanned(broker, orgId, job);
  expect(planned).toMatchObject({ isNoOp: false, counts: { added: 2 }, obstacle: undefined });
  expect(JSON.parse(planned.view)).toMatchObject({ text: "Plan: 2 to add", changes: [] });
});

test("one that brought nothing cannot be applied, and says so", async () => {
  const { orgId, job } = await setup({}, {});
  const { obstacle, isNoOp } = await findPlanned(broker, orgId, job);
  expect({ obstacle, isNoOp }).toMatchObject({ isNoOp: false });
  expect(obstacle).toMatch(/no contents/);
  await expect(findApplyPlan(broker, orgId, job)).rejects.toThrow(NotApplicable);
});
