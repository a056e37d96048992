import { givenRunnerWithAgent, jobReader } from "../agent/given-jobs.ts";
import type { AgentProcessOptions } from "../agent/start-agent-process.ts";
import { startTestAgent } from "../agent/start-test-agent.ts";
import { callAs } from "../broker/call-as.ts";
import { givenFleet } from "../broker/given-fleet.ts";
import { givenRepository } from "../sources/given-repository.ts";
import { startRegistry } from "../sources/start-registry.ts";
import { workflowFollower } from "./follow-workflows.ts";

/** The files of a repository, by their paths, and the documents of an app whose components are in it. */
export type GivenApp = {
  readonly files: Readonly<Record<string, string>>;
  readonly document: (repo: (directory: string) => object, registry: string) => object;
  /** Of the customer's agent. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** With which users the org's builds push, and its installs pull; nobody is asked for one without them. */
  readonly logins?: Readonly<Record<"push" | "pull", { username: string; password: string }>>;
  /** Starts the customer's agent in another way than in the test's own process. */
  readonly start?: (given: AgentProcessOptions) => Promise<unknown>;
  /** What has to be in the registry of this host before the app is built. */
  readonly fill?: (registry: string) => Promise<unknown>;
};

/** A vendor's broker with a registry, an agent that builds, and the agent of a customer. */
export async function givenDelivery({
  files,
  document,
  settings = {},
  env,
  logins,
  fill,
  start,
}: GivenApp) {
  const registry = await startRegistry();
  await fill?.(registry.host);
  const fleet = await givenFleet({
    SVC_REGISTRY: `http://${registry.host}/acme`,
    ...(logins && { SVC_REGISTRY_AUTH: "fixed" }),
  });
  const builder = await givenRunnerWithAgent(fleet, { "allow-file-sources": "yes" });
  await fleet.db`
    update runner_groups set type = 'org', owner_type = 'org' where id = ${builder.groupId}`;
  const customer = await fleet.addRunner({
    orgId: builder.orgId,
    parallelism: { operations: 2, actions: 2, deploy: 2, sandbox: 2, sync: 2 },
  });
  const own = { groups: "operations=2,actions=2,deploy=2,sandbox=2,sync=2", ...settings };
  const url = fleet.broker.url;
  if (start === undefined)
    await startTestAgent({ url, token: customer.token, ...(env && { env }) }, own);
  else await start({ url, env: { ...env, SVC_AGENT_TOKEN: customer.token }, settings: own });
  const token = builder.operatorToken;
  const call = callAs(fleet.broker, token);
  for (const [use, login] of Object.entries(logins ?? {}))
    await call("POST /v1/registry/logins", { use, ...login });
  const repository = await givenRepository();
  for (const [name, text] of Object.entries(files)) await repository.commit(name, text);
  const repo = (directory: string) => ({
    repo: `file://${repository.folder}`,
    directory,
    branch: "main",
  });
  const app = await call<{ id: string }>("POST /v1/apps", { name: "shop" });
  const sync = (given: object) =>
    call<{ id: string }>(`POST /v1/apps/${app.id}/configs/sync`, given);
  const config = await sync(document(repo, registry.host));
  const { workflow, rests, approve, approved } = workflowFollower(call);
  const install = async (name: string, more: object = {}) =>
    call<{ id: string; workflow_id: string }>(`POST /v1/apps/${app.id}/installs`, {
      name,
      runner_group_id: customer.groupId,
      ...more,
    });
  return {
    fleet,
    registry,
    repository,
    repo,
    app,
    config,
    customer: jobReader(fleet, customer),
    call,
    sync,
    install,
    workflow,
    rests,
    approve,
    approved,
  };
}
