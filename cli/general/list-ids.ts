import { apps } from "../../shared/api/app.ts";
import { componentBuilds } from "../../shared/api/builds.ts";
import { listEmittersRoute } from "../../shared/api/emitters.ts";
import { listHelmReleasesRoute } from "../../shared/api/helm-charts.ts";
import { installs } from "../../shared/api/install.ts";
import { listOrgsRoute } from "../../shared/api/orgs.ts";
import { policyReports } from "../../shared/api/policy-reports.ts";
import { listQueuesRoute } from "../../shared/api/queues.ts";
import { listExecutionsRoute } from "../../shared/api/read-runner-job-executions.ts";
import { listJobsRoute } from "../../shared/api/read-runner-jobs.ts";
import { listRolesRoute } from "../../shared/api/roles.ts";
import { rollouts } from "../../shared/api/rollouts.ts";
import { listRunnerGroupsRoute } from "../../shared/api/runner-groups.ts";
import { listProcessesRoute } from "../../shared/api/runner-process.ts";
import { listRunnersRoute } from "../../shared/api/runners.ts";
import { listSignalsRoute } from "../../shared/api/signals.ts";
import { listWorkspacesRoute } from "../../shared/api/terraform-workspaces.ts";
import { tokens } from "../../shared/api/tokens.ts";
import { webhooks } from "../../shared/api/webhook.ts";
import { listWorkflowsRoute } from "../../shared/api/workflows.ts";
import { toPage } from "../apps/find-app.ts";
import type { Caller } from "../command.ts";
import type { CliConfig } from "../config.ts";
import { devName, readProfiles } from "../connection/profile.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";

type Asking = {
  readonly call: Caller;
  /** The line so far, which may name what the ids belong to. */
  readonly words: readonly string[];
  readonly runnerId: string | undefined;
  readonly config: CliConfig;
};
type Ids = (asking: Asking) => Promise<readonly string[]>;
type Listed = { readonly body: { readonly items: readonly { readonly id: string }[] } };

const query = { limit: "50" } as const;

/** The ids of the newest things of a kind, as commands name the kind that they take. */
export async function listIds(kind: string, asking: Asking): Promise<readonly string[]> {
  return (await lists[kind]?.(asking)) ?? [];
}

const of =
  (list: (call: Caller) => Promise<Listed>): Ids =>
  async ({ call }) =>
    (await list(call)).body.items.map(({ id }) => id);

const lists: Readonly<Record<string, Ids>> = {
  jobs: of(async (call) => await call(listJobsRoute, { query })),
  apps: async ({ call }) => {
    const { body } = toPage(await call(apps.list, { query: { ...query, cursor: "" } }));
    return body.items.map(({ name }) => name);
  },
  builds: of(async (call) =>
    pageOfListing(await call(componentBuilds.list, { query: pagesOfListing({}) })),
  ),
  "policy-reports": of(async (call) =>
    pageOfListing(await call(policyReports.list, { query: pagesOfListing({}) })),
  ),
  installs: async ({ call }) => {
    const { body } = toPage(await call(installs.list, { query: { ...query, cursor: "" } }));
    return body.items.map(({ name }) => name);
  },
  workflows: of(async (call) =>
    pageOfListing(await call(listWorkflowsRoute, { query: pagesOfListing({}) })),
  ),
  rollouts: of(async (call) => await call(rollouts.list, { query })),
  runners: of(async (call) => await call(listRunnersRoute, { query })),
  groups: of(async (call) => await call(listRunnerGroupsRoute, { query })),
  emitters: of(async (call) => await call(listEmittersRoute, { query })),
  queues: of(async (call) => await call(listQueuesRoute, { query })),
  webhooks: of(async (call) =>
    pageOfListing(await call(webhooks.list, { query: pagesOfListing({}) })),
  ),
  tokens: of(async (call) => await call(tokens.list, { query })),
  orgs: of(async (call) => await call(listOrgsRoute, { query })),
  workspaces: of(async (call) => await call(listWorkspacesRoute, { query })),
  releases: of(async (call) => await call(listHelmReleasesRoute, { query })),
  roles: async ({ call }) =>
    (await call(listRolesRoute, {})).body.items.map(({ role_type: type }) => type),
  processes: async ({ call, words, runnerId }) => {
    const runner_id = valueOf("--runner", words) ?? runnerId;
    if (runner_id === undefined) return [];
    const { body } = await call(listProcessesRoute, { params: { runner_id }, query });
    return body.items.map(({ id }) => id);
  },
  executions: async ({ call, words }) => {
    const job_id = words.find((word) => word.startsWith("job_"));
    if (job_id === undefined) return [];
    const { body } = await call(listExecutionsRoute, { params: { job_id } });
    return body.map(({ id }) => id);
  },
  signals: async ({ call, words }) => {
    const queue_id = valueOf("--queue", words);
    if (queue_id === undefined) return [];
    const { body } = await call(listSignalsRoute, { params: { queue_id }, query });
    return body.items.map(({ id }) => id);
  },
  profiles: async ({ config }) => {
    const { profiles } = await readProfiles(config.profileFile);
    return [...Object.keys(profiles), devName];
  },
};

function valueOf(flag: string, words: readonly string[]): string | undefined {
  const at = words.lastIndexOf(flag);
  return at === -1 ? undefined : words[at + 1];
}
