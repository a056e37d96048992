import { beforeEach, describe, expect, test } from "vitest";
import { type Permission, rolePermissions, roleTypes } from "../../shared/permissions.ts";
import { askRoute, type Document, type Route, routesOf } from "../support/broker/ask-route.ts";
import { digestOfOrg } from "../support/broker/every-thing.ts";
import { givenEverything } from "../support/broker/given-everything.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { beat, givenRunner } from "../support/rows/given.ts";
import { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const { db, brokers, setup, call } = await givenWorkflowsApi();
const url = brokers[0]?.url ?? "";
const { body: document } = await call<Document>("GET /openapi.json");
const routes = routesOf(document);
const guarded = routes.filter(({ rule }) => rule.permission !== null);
/**
 * An invitation is accepted by its account, of whatever org, and journeys are an account's: invites.test.ts, user-journeys.test.ts. A cloud and a kind
 * of file are no org's.
 */
const nobodys = [
  "acceptInvite",
  "completeUserJourney",
  "getConfigSchemaOfType",
  "listCloudRegions",
  "resetUserJourney",
  "updateUserJourneyStep",
];
const named = guarded.filter(
  ({ path, operation }) => path.includes("{") && !nobodys.includes(operation.operationId),
);

const { org: ours, ids, alive } = await givenEverything({ db, setup, document });
const asked = { url, document, ids };
const theirs = await setup();
const theirOwn = {
  orgId: theirs.orgId,
  runnerId: (await givenRunner(db, { orgId: theirs.orgId })).runnerId,
};

/** Things of paths that tests of their own hold apart: states and records need a runner's long dialogue. */
const elsewhere = [
  "config_id",
  "key",
  "namespace",
  "release_id",
  "rescued_id",
  "shutdown_id",
  "state_id",
];
/**
 * What agents change by their signs of life, the clock of a workflow's place in its lane, and the audit log, which tells a minute later
 * of what an org did itself; it is asked for others' acts below.
 */
const restless = ["audit_events", "runner_process_beats", "runner_queues", "queue_signal_live"];

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
  const told = await db`
    select a.action from audit_events a join tokens t on t.id = a.token_id
     where a.org_id = ${ours.orgId} and t.org_id = ${theirs.orgId}`;
  expect(told).toEqual([]);
});

/** Our org has none of these. */
const absent =
  /^get(?:Latest)?App\w+Config$|^getLatestComponentConfig$|^(?:getResult|getTerraformWorkspaceLock|diffTerraformWorkspaceStates|getActionRun|getActionRunStep|getJobSource|getSandboxConfig)$/;
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
