import type { Db } from "../../broker/database/connect.ts";
import { bootstrapAdmin, bootstrapOrg } from "../../broker/orgs/bootstrap-org.ts";
import { findOrgMadeBy } from "../../broker/orgs/queries.ts";
import { SvcError } from "../../client/svc-error.ts";
import { callRoute } from "../../shared/api/call-route.ts";
import type { Endpoint } from "../../shared/api/endpoint.ts";
import { createRunnerGroupRoute, listRunnerGroupsRoute } from "../../shared/api/runner-groups.ts";
import { createRunnerRoute, listRunnersRoute } from "../../shared/api/runners.ts";
import { createTokenRoute, getOwnTokenRoute } from "../../shared/api/tokens.ts";
import { type DevFile, readDevFile, writeDevFile } from "../connection/dev-file.ts";

const creator = "svc dev";

/**
 * Finds what an earlier start made, and makes what is missing: an org, a runner, a token for each. Tokens
 * whose kept file is lost, or that were revoked, are made anew; the old ones are nobody's any more.
 */
export async function prepareDev(
  db: Db,
  url: string,
  dataDir: string,
): Promise<{ readonly dev: DevFile; readonly isFirst: boolean }> {
  const kept = await readDevFile(dataDir);
  const admin = await findAdmin(db, url, kept);
  const endpoint: Endpoint = { url, token: admin.token };
  const own = await findRunner(endpoint, kinds.install, kept?.runner_id);
  const builds = await findRunner(endpoint, kinds.org, kept?.builds_runner_id);
  const dev: DevFile = {
    url,
    org_id: admin.orgId,
    runner_id: own.id,
    admin_token: admin.token,
    runner_token: await findRunnerToken(endpoint, own.id, kept?.runner_token),
    builds_runner_id: builds.id,
    builds_runner_token: await findRunnerToken(endpoint, builds.id, kept?.builds_runner_token),
  };
  await writeDevFile(dataDir, dev);
  return { dev, isFirst: own.isNew };
}

/** The runners of development: one as a customer has it, and the org's own, which builds. */
const kinds = {
  install: { name: "development", group: { type: "install", name: "Development" } },
  org: {
    name: "builds",
    group: { type: "org", name: "Builds", settings: { job_group_parallelism: { build: "4" } } },
  },
} as const;
type Kind = (typeof kinds)[keyof typeof kinds];

async function findAdmin(
  db: Db,
  url: string,
  kept: DevFile | undefined,
): Promise<{ readonly orgId: string; readonly token: string }> {
  const own = kept && (await ownToken({ url, token: kept.admin_token }));
  if (own !== undefined && own.permissions.includes("tokens.write")) {
    return { orgId: own.org_id, token: kept?.admin_token ?? "" };
  }
  const org = await findOrgMadeBy(db, creator);
  if (org !== undefined) {
    return { orgId: org.id, token: (await bootstrapAdmin(db, org.id)).secret };
  }
  const made = await bootstrapOrg(db, "Development", creator);
  return { orgId: made.orgId, token: made.adminToken };
}

async function findRunner(
  endpoint: Endpoint,
  { name, group }: Kind,
  kept: string | undefined,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const query = { limit: 100 };
  const groups = (await callRoute(endpoint, listRunnerGroupsRoute, { query })).body.items;
  const own = groups.filter(({ type }) => type === group.type).map(({ id }) => id);
  const runners = (await callRoute(endpoint, listRunnersRoute, { query })).body.items;
  const ids = runners.flatMap((one) => (own.includes(one.runner_group_id) ? [one.id] : []));
  const id = ids.find((each) => each === kept) ?? ids.at(-1);
  if (id !== undefined) return { id, isNew: false };
  const groupId = own.at(-1) ?? (await makeGroup(endpoint, group));
  const body = { name, runner_group_id: groupId };
  return { id: (await callRoute(endpoint, createRunnerRoute, { body })).body.id, isNew: true };
}

async function makeGroup(endpoint: Endpoint, group: Kind["group"]): Promise<string> {
  const body = { ...group, platform: "local" } as const;
  return (await callRoute(endpoint, createRunnerGroupRoute, { body })).body.id;
}

async function findRunnerToken(
  endpoint: Endpoint,
  runnerId: string,
  kept: string | undefined,
): Promise<string> {
  if (kept) {
    const own = await ownToken({ url: endpoint.url, token: kept });
    if (own?.runner_id === runnerId) return kept;
  }
  const body = { name: creator, kind: "rt", runner_id: runnerId } as const;
  return (await callRoute(endpoint, createTokenRoute, { body })).body.secret;
}

/** What the token is; undefined when it is none of this database's, or has been revoked. */
async function ownToken(endpoint: Endpoint) {
  try {
    return (await callRoute(endpoint, getOwnTokenRoute, {})).body;
  } catch (error) {
    if (error instanceof SvcError && error.status === 401) return undefined;
    throw error;
  }
}
