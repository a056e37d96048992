import { beforeEach, describe, expect, test } from "vitest";
import { type Permission, rolePermissions, roleTypes } from "../../shared/permissions.ts";
import { askRoute, type Document, type Route, routesOf } from "../support/broker/ask-route.ts";
import { digestOfOrg, idsByPrefix } from "../support/broker/every-thing.ts";
import { type JsonSchema, sampleOfSchema } from "../support/broker/sample-of-schema.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { beat, givenExecution, givenProcess, givenRunner } from "../support/rows/given.ts";
import { givenDelivery } from "../support/webhooks/given-webhooks.ts";
import { givenInstall, givenWorkflowsApi, stepIn } from "../support/workflows/workflows-api.ts";

const { db, brokers, setup, call } = await givenWorkflowsApi();
const url = brokers[0]?.url ?? "";
const { body: document } = await call<Document>("GET /openapi.json");
const routes = routesOf(document);
const guarded = routes.filter(({ rule }) => rule.permission !== null);
/** An invitation is accepted by its account, of whatever org: invites.test.ts. */
const named = guarded.filter(
  ({ path, operation }) => path.includes("{") && operation.operationId !== "acceptInvite",
);

const { org: ours, ids, alive } = await givenEverything();
const asked = { url, document, ids };
const theirs = await setup();
const theirOwn = {
  orgId: theirs.orgId,
  runnerId: (await givenRunner(db, { orgId: theirs.orgId })).runnerId,
};

function schemaOf(operationId: string): JsonSchema {
  const route = routes.find(({ operation }) => operation.operationId === operationId);
  return route?.operation.requestBody?.content["application/json"]?.schema ?? {};
}

/** An org with one of each thing that the path of a route can name, by the names that paths have. */
async function givenEverything() {
  const org = await setup();
  const { api, orgId } = org;
  const { schemas } = document.components;
  const made = async (what: string, body: unknown) => {
    const answer = await api<{ id: string }>(what, body);
    if (answer.status >= 300) throw new Error(`${what}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { installId, runner } = await givenInstall(org);
  const { body: run } = await org.run(installId, "careful");
  const workflow = await org.reach(run.workflow_id, "approval-awaiting");
  const step = stepIn(workflow, "approval-awaiting");
  await made(`POST /v1/apps/${org.appId}/secrets`, { name: "license", value: "hello" });
  for (const kind of ["components", "runbooks"])
    await made(`POST /v1/apps/${org.appId}/${kind}`, { name: "own" });
  const queue = await made("POST /v1/queues", { name: "deploys" });
  const queueAt = `/v1/queues/${queue.id}`;
  const { webhookId, deliveryId } = await givenDelivery(db, { orgId });
  const processId = await givenProcess(db, runner);
  const { jobId, executionId } = await givenExecution(db, runner, { processId });
  const chosen: Record<string, string> = {
    install_id: installId,
    run_id: run.id,
    workflow_id: run.workflow_id,
    step_id: step.id,
    group_id: step.workflow_step_group_id,
    approval_id: step.approval?.id ?? "",
    queue_id: queue.id,
    webhook_id: webhookId,
    delivery_id: deliveryId,
    runner_id: runner.runnerId,
    runner_group_id: runner.groupId,
    process_id: processId,
    job_id: jobId,
    execution_id: executionId,
    log_stream_id: `lgs_${jobId.slice(4)}`,
  };
  await made(`POST ${queueAt}/signals`, { type: "noop" });
  await made(`POST ${queueAt}/emitters`, sampleOfSchema(schemaOf("createEmitter"), schemas));
  await made("POST /v1/terraform-workspaces", {});
  const account = await made("POST /v1/accounts", { name: "robot", roles: ["org_read_only"] });
  chosen["account_id"] = account.id;
  const guest = await (
    await setup()
  ).api<{ id: string }>("POST /v1/accounts", {
    name: "guest",
    roles: ["org_read_only"],
  });
  const invited = { account_id: guest.body.id, roles: ["org_read_only"] };
  chosen["invite_id"] = (await made("POST /v1/orgs/current/invites", invited)).id;
  const spare = await givenRunner(db, { orgId });
  const alive = [processId, await givenProcess(db, spare)];
  const of = { type: "graceful", runner_group_id: spare.groupId };
  const rollout = await made("POST /v1/runner-rollouts", of);
  await api(`POST /v1/runner-rollouts/${rollout.id}/cancel`, {}); // one that is over already is as good
  chosen["rollout_id"] = rollout.id;
  const found = await idsByPrefix(db, orgId);
  for (const { operation } of named)
    for (const { name, in: where, schema } of operation.parameters ?? []) {
      const prefix = /^\^(?:\(\?:)?([a-z]{3})_/.exec(schema.pattern ?? "")?.[1];
      const id = prefix === undefined ? undefined : found.get(prefix);
      if (where === "path" && id !== undefined) chosen[name] ??= id;
    }
  return { org, ids: chosen, alive };
}

/** Things of paths that tests of their own hold apart: states and records need a runner's long dialogue. */
const elsewhere = [
  "chart_id",
  "config_id",
  "key",
  "namespace",
  "release_id",
  "rescued_id",
  "shutdown_id",
  "state_id",
];
/** What agents change by their signs of life, and the clock of a workflow's place in its lane. */
const restless = ["runner_process_beats", "runner_queues", "queue_signal_live"];

const ofIds = new Set(Object.values(ids));
const tokens = new Map<string, string>();
const before = await digestOfOrg(db, ours.orgId, restless);

test("every id that a path can name is here of a thing that is there", () => {
  const names = new Set(named.flatMap(({ path }) => namesIn(path)));
  expect([...names].filter((name) => ids[name] === undefined).toSorted()).toEqual(elsewhere);
});

beforeEach(async () => {
  await beat(db, alive); // an agent that fell silent would change more
});

describe.each(named)("$name", (route) => {
  test("finds nothing of another org, with what its own may send", async () => {
    const { status, text } = await askRoute(asked, route, {
      token: await tokenOf(route, theirOwn),
    });
    expect([status, text]).toEqual([404, text]);
  });
});

/** The audit log shows an org what it asked for itself. */
const nameless = guarded.filter(({ path }) => !path.includes("{") && !path.startsWith("/v1/audit"));
describe.each(nameless)("$name", (route) => {
  test("neither shows nor takes what is another org's", async () => {
    const token = await tokenOf(route, theirOwn);
    const named = (route.operation.parameters ?? []).filter(({ name }) => name in ids);
    for (const query of ["", ...named.map(({ name }) => `${name}=${ids[name]}`)]) {
      const { status, text } = await askRoute(asked, route, { token, query, names: true });
      expect(status).toBeLessThan(500);
      // What is asked of many at once answers for each that it is not there.
      const isTold = status < 300 && !text.includes("not-found");
      expect(isTold ? idsIn(text) : []).toEqual([]);
    }
  });
});

test("nothing of the other org was changed by all that", async () => {
  const after = await digestOfOrg(db, ours.orgId, restless);
  const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
  expect(changed).toEqual([]);
});

/** Our org has none of these. */
const absent =
  /^getLatestApp\w+Config$|^(?:getResult|getTerraformWorkspaceLock|diffTerraformWorkspaceStates|getActionRun|getActionRunStep|getSandboxConfig)$/;
const owned = named.filter(
  ({ method, path, operation }) =>
    method === "GET" &&
    !absent.test(operation.operationId) &&
    !namesIn(path).some((one) => elsewhere.includes(one)),
);
describe.each(owned)("$name", (route) => {
  test("finds it for its own org", async () => {
    const own = { orgId: ours.orgId, runnerId: ids["runner_id"] ?? "" };
    const { status } = await askRoute(asked, route, {
      token: await tokenOf(route, own),
      isHead: true,
    });
    expect(status).not.toBe(404);
  });
});

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

const idsIn = (text: string): string[] => [...ofIds].filter((id) => text.includes(id));

async function tokenOf({ rule }: Route, { orgId, runnerId }: typeof theirOwn): Promise<string> {
  const { permission } = rule;
  const role = roleTypes.find((type) =>
    rolePermissions[type].some((one: Permission) => one === permission),
  );
  if (permission === "orgs.create") return await givenToken(db, { orgId, role: "org_admin" });
  if (role === undefined) throw new Error(`no role has ${permission}`);
  const key = `${orgId} ${role}`;
  const made =
    tokens.get(key) ??
    (role === "runner"
      ? await givenToken(db, { orgId, runnerId })
      : await givenToken(db, { orgId, role }));
  tokens.set(key, made);
  return made;
}
