import { policyId } from "../../../shared/policies/policy-id.ts";
import { givenBuild, givenSandboxBuild } from "../builds/given-build.ts";
import { givenDeploy } from "../deploys/given-deploy.ts";
import { givenReport } from "../policies/given-report.ts";
import { givenExecution, givenProcess, givenRunner, report } from "../rows/given.ts";
import { givenDelivery } from "../webhooks/given-webhooks.ts";
import { givenInstall, type givenWorkflowsApi, stepIn } from "../workflows/workflows-api.ts";
import { type Document, routesOf } from "./ask-route.ts";
import { idsByPrefix } from "./every-thing.ts";
import { type JsonSchema, sampleOfSchema } from "./sample-of-schema.ts";

type Given = Pick<Awaited<ReturnType<typeof givenWorkflowsApi>>, "db" | "setup"> & {
  readonly document: Document;
};

/** An org with one of each thing that the path of a route can name, by the names that paths have. */
export async function givenEverything({ db, setup, document }: Given) {
  const routes = routesOf(document);
  const schemaOf = (operationId: string): JsonSchema => {
    const route = routes.find(({ operation }) => operation.operationId === operationId);
    return route?.operation.requestBody?.content["application/json"]?.schema ?? {};
  };
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
  const { body: events } = await api<{ id: string }[]>(`GET /v1/installs/${installId}/events`);
  await made(`POST /v1/apps/${org.appId}/secrets`, { name: "license", value: "hello" });
  const place = { gcp_secret_name: "projects/acme-1/secrets/license" };
  await made(`PUT /v1/installs/${installId}/secrets/license`, place);
  await made(`POST /v1/apps/${org.appId}/runbooks`, { name: "own" });
  await made("POST /v1/registry/logins", { use: "push", username: "builds", password: "secret" });
  const component = await made(`POST /v1/apps/${org.appId}/components`, { name: "own" });
  const config = await made(`POST /v1/apps/${org.appId}/configs`, {}); // not the install's, which has no components
  const ofBuild = { orgId, appId: org.appId, configId: config.id, componentId: component.id };
  const buildId = await givenBuild(db, ofBuild);
  await givenSandboxBuild(db, ofBuild);
  const deployed = { orgId, installId, configId: config.id };
  await givenDeploy(db, deployed, { component: "api", buildId, hasDrift: true });
  await givenDeploy(db, deployed, {});
  await givenReport(db, { orgId, appId: org.appId, componentId: component.id, buildId });
  const queue = await made("POST /v1/queues", { name: "deploys" });
  const queueAt = `/v1/queues/${queue.id}`;
  const { webhookId, deliveryId } = await givenDelivery(db, { orgId });
  const processId = await givenProcess(db, runner);
  const { jobId, executionId } = await givenExecution(db, runner, { processId });
  await report(db, runner, { executionId, status: "in-progress" }); // else it goes back after half a minute
  const chosen: Record<string, string> = {
    install_id: installId,
    secret_name: "license",
    event_id: events[0]?.id ?? "", // of several of one instant not each is an install's
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
  chosen["policy_config_id"] = policyId(org.appId, "no-latest");
  chosen["signal_id"] = (await made(`POST ${queueAt}/signals`, { type: "noop" })).id;
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
  const policies = [{ name: "apps", permissions: ["apps.read"] }];
  const role = await made("POST /v1/roles", { role_type: "org_builder", title: "Own", policies });
  chosen["role_id"] = role.id;
  const spare = await givenRunner(db, { orgId });
  await givenProcess(db, spare);
  const processes = await db<{ id: string }[]>`
    select id from runner_processes where org_id = ${orgId} and status = 'active'`;
  const alive = processes.map(({ id }) => id);
  const of = { type: "graceful", runner_group_id: spare.groupId };
  const rollout = await made("POST /v1/runner-rollouts", of);
  await api(`POST /v1/runner-rollouts/${rollout.id}/cancel`, {}); // one that is over already is as good
  chosen["rollout_id"] = rollout.id;
  const found = await idsByPrefix(db, orgId);
  for (const { operation } of routes)
    for (const { name, in: where, schema } of operation.parameters ?? []) {
      const shape = schema.pattern ?? schema.example ?? ""; // where a name may stand there is no pattern
      const prefix = /^\^?(?:\(\?:)?([a-z]{3})_/.exec(shape)?.[1];
      const id = prefix === undefined ? undefined : found.get(prefix);
      if (where === "path" && id !== undefined) chosen[name] ??= id;
    }
  return { org, ids: chosen, alive };
}
