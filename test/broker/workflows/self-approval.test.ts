import { expect, test } from "vitest";
import { signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  type Refused,
  stepIn,
} from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi();

async function given() {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const begin = async () => {
    const { body } = await org.run(installId, "careful");
    return stepIn(await org.reach(body.workflow_id, "approval-awaiting"), "approval-awaiting");
  };
  const forbid = (prevents: boolean) =>
    org.api("PATCH /v1/orgs/current", { prevent_self_approval: prevents });
  return { ...org, begin, forbid };
}

test("who created a workflow can neither approve it nor set approve-all on it, where the org says so", async () => {
  const { api, orgId, begin, forbid, respond } = await given();
  const [step, next] = [await begin(), await begin()];
  expect((await forbid(true)).body).toMatchObject({ prevent_self_approval: true });
  const refusal = { status: 403, body: { code: "self_approval" } };
  expect(await respond(step, { response_type: "approve" })).toMatchObject(refusal);
  const at = `PATCH /v1/workflows/${step.workflow_id}`;
  expect(await api(at, { approval_option: "approve-all" })).toMatchObject(refusal);
  expect((await api(at, { approval_option: "prompt" })).status).toBe(200);
  const token = await givenToken(db, { orgId, role: "org_support" });
  const path = `/v1/workflows/${step.workflow_id}/steps/${step.id}/approvals/${step.approval?.id ?? ""}/response`;
  const other = await call<Refused>(`POST ${path}`, { token, body: { response_type: "approve" } });
  expect(other.status).toBe(201);
  expect((await respond(next, { response_type: "deny" })).status).toBe(201);
});

test("they can where it does not, as it does unless it is set", async () => {
  const { api, begin, forbid, respond } = await given();
  const { body } = await api("GET /v1/orgs/current");
  expect(body).toMatchObject({ prevent_self_approval: false });
  const step = await begin();
  await forbid(true);
  await forbid(false);
  expect((await respond(step, { response_type: "approve" })).status).toBe(201);
});

test("the dashboard's button says why it does not", async () => {
  const { api, begin, forbid, reach, brokers } = await given();
  const step = await begin();
  await forbid(true);
  const url = brokers[0]?.url ?? "";
  const { body } = await api<{ path: string }>("POST /v1/sign-in-links");
  const cookie = await signIn(url + body.path);
  const answer = await fetch(`${url}/workflows/${step.workflow_id}/steps/${step.id}/approve`, {
    method: "POST",
    body: new URLSearchParams({ note: "", digest: step.approval?.plan_digest ?? "" }),
    headers: { cookie, "sec-fetch-site": "same-origin" },
    redirect: "manual",
  });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("somebody else approve it");
  expect((await reach(step.workflow_id, "approval-awaiting")).status.status).toBe(
    "approval-awaiting",
  );
});
