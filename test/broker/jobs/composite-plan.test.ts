import { expect, test } from "vitest";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { planMembers } from "../../../shared/plans/plan-member-for.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";

const at = await givenOperator();
const { id: runnerId } = await at.createRunner();

async function compositeOf(type: string, plan: string | undefined, token = at.token) {
  const body = plan === undefined ? { type } : `{"type":"${type}","plan":${plan}}`;
  const made = await at.call<RunnerJob>(`POST /v1/runners/${runnerId}/jobs`, { body });
  const path = `/v1/runner-jobs/${made.body.id}/composite-plan`;
  const answer = await fetch(at.broker.url + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  return {
    status: answer.status,
    text: await answer.text(),
    type: answer.headers.get("content-type"),
  };
}

test("a composite plan is the plan, byte for byte, under the name of its kind", async () => {
  const plan = '{ "dst_tag":"v1", "n": 1.0 }';
  expect(await compositeOf("oci-sync", plan)).toEqual({
    status: 200,
    text: `{"sync_oci_plan":${plan}}`,
    type: "application/json",
  });
});

test("a long one is whole", async () => {
  const plan = JSON.stringify({ src_tag: "v1", apply_plan_contents: "x".repeat(700_000) });
  const { text } = await compositeOf("terraform-deploy", plan);
  expect(text === `{"deploy_plan":${plan}}`).toBe(true);
});

test("who may not see secrets is shown it without them", async () => {
  const { secret } = await createToken(at.db, at.orgId, {
    name: "t",
    kind: "sa",
    role: "org_support",
    grants: ["plans.read"],
    createdById: "",
  });
  const plan = '{"terraform":{"env_vars":{"PASSWORD":"hunter2"}}}';
  const { text } = await compositeOf("terraform-deploy", plan, secret);
  expect(JSON.parse(text)).toEqual({
    deploy_plan: { terraform: { env_vars: { PASSWORD: "(secret)" } } },
  });
});

test("a job without a plan, or whose plan may be anything, has no member", async () => {
  expect((await compositeOf("terraform-deploy", undefined)).text).toBe("{}");
  expect((await compositeOf("noop", '{"any":1}')).text).toBe("{}");
});

test("every kind has a name of its own", () => {
  expect(new Set(planMembers).size).toBe(7);
});
