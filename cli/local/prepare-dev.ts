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
  const { runnerId, isFirst } = await findRunner(endpoint, kept);
  const runnerToken = await findRunnerToken(endpoint, runnerId, kept);
  const dev: DevFile = {
    url,
    org_id: admin.orgId,
    runner_id: runnerId,
    admin_token: admin.token,
    runner_token: runnerToken,
  };
  await writeDevFile(dataDir, dev);
  return { dev, isFirst };
}

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
  kept: DevFile | undefined,
): Promise<{ readonly runnerId: string; readonly isFirst: boolean }> {
  const found = await callRoute(endpoint, listRunnersRoute, { query: { limit: 100 } });
  const ids = found.body.items.map(({ id }) => id);
  const id = ids.find((each) => each === kept?.runner_id) ?? ids.at(-1);
  if (id !== undefined) return { runnerId: id, isFirst: false };
  const body = { name: "development", runner_group_id: await findGroup(endpoint) };
  const made = await callRoute(endpoint, createRunnerRoute, { body });
  return { runnerId: made.body.id, isFirst: true };
}

async function findGroup(endpoint: Endpoint): Promise<string> {
  const found = await callRoute(endpoint, listRunnerGroupsRoute, { query: { limit: 1 } });
  const [group] = found.body.items;
  if (group !== undefined) return group.id;
  const body = { type: "install", name: "Development", platform: "local" } as const;
  return (await callRoute(endpoint, createRunnerGroupRoute, { body })).body.id;
}

async function findRunnerToken(
  endpoint: Endpoint,
  runnerId: string,
  kept: DevFile | undefined,
): Promise<string> {
  const own = kept && (await ownToken({ url: endpoint.url, token: kept.runner_token }));
  if (own?.runner_id === runnerId && kept !== undefined) return kept.runner_token;
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
