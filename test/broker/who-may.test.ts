import { beforeAll, describe, expect, test } from "vitest";
import { createToken } from "../../broker/tokens/create-token.ts";
import {
  type Permission,
  permissions,
  permissionsOfRole,
  type RoleType,
  roleTypes,
} from "../../shared/permissions.ts";
import { givenApp } from "../support/apps/given-app.ts";
import { startBroker, type TestBroker } from "../support/broker/broker.ts";
import { endpoints } from "../support/broker/route-rules.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenOrg, givenRunner } from "../support/rows/given.ts";

/** Yes; only with a token that is bound to an app or an install; no. */
type May = "●" | "○" | "–";
const columns: readonly RoleType[] = [
  "org_admin",
  "org_support",
  "org_read_only",
  "org_builder",
  "installer",
  "stack",
  "runner",
];

/** Who may do what of the control plane, by the columns; hosted-installer is as installer. */
const table: Partial<Record<Permission, string>> = {
  "apps.read": "● ● ● ● ○ – –",
  "installs.read": "● ● ● ● ○ – –",
  "workflows.read": "● ● ● ● ○ – –",
  "apps.write": "● – – ● – – –",
  "builds.write": "● – – ● – – –",
  "connections.write": "● – – – – – –",
  "installs.write": "● ● – – ○ – –",
  "installs.operate": "● ● – – ○ – –",
  "installs.destroy": "● – – – ○ – –",
  "approvals.respond": "● ● – – ○ – –",
  "webhooks.read": "● ● ● – – – –",
  "webhooks.write": "● – – – – – –",
};

/** What a route of the control plane asks for, by its method and path; the first that fits. */
const areas: readonly (readonly [RegExp, Permission])[] = [
  [/^GET \/v1\/apps\/\{app_id\}\/installs$/, "installs.read"],
  [/^POST \/v1\/apps\/\{app_id\}\/installs$/, "installs.write"],
  [
    /^GET \/v1\/(apps|components|builds|component-builds|general\/config-schema)(\/|$)/,
    "apps.read",
  ],
  [
    /^POST \/v1\/apps\/.*\/(builds|builds\/\{(sandbox_)?build_id\}\/cancel|build-all|build)$/,
    "builds.write",
  ],
  [/^POST \/v1\/apps\/.*\/update-installs$/, "installs.operate"],
  [/^\w+ \/v1\/apps(\/|$)/, "apps.write"],
  [/^GET \/v1\/installs\/\{install_id\}\/workflows$/, "workflows.read"],
  [/^GET \/v1\/installs(\/|$)/, "installs.read"],
  [/^(POST|PATCH) \/v1\/installs(\/\{install_id\})?$/, "installs.write"],
  [/^\w+ \/v1\/installs\/\{install_id\}\/(labels|inputs|configs|secrets)/, "installs.write"],
  [/^DELETE \/v1\/installs\/|\/(deprovision(-sandbox)?|forget|teardown-all)$/, "installs.destroy"],
  [/^POST \/v1\/installs\//, "installs.operate"],
  [/^GET \/v1\/workflows(\/|$)/, "workflows.read"],
  [/^PATCH \/v1\/workflows\/|^POST \/v1\/workflows\/.*\/response$/, "approvals.respond"],
  [/^\w+ \/v1\/workflows(\/|$)/, "installs.operate"],
  [/^GET \/v1\/(orgs\/current\/webhooks|workflow-events)(\/|$)/, "webhooks.read"],
  [/^\w+ \/v1\/orgs\/current\/webhooks(\/|$)/, "webhooks.write"],
];

const routes = endpoints
  .filter(({ rule }) => rule.surface !== "open")
  .map(({ rule, method, path }) => ({ rule, what: `${method.toUpperCase()} ${path}` }));
const ofControlPlane = routes.filter(
  ({ rule, what }) =>
    rule.surface === "control-plane" &&
    /\/v1\/(apps|components|builds|component-builds|installs|workflows|workflow-events|general|orgs\/current\/webhooks)(\/|$)/.test(
      what,
    ) &&
    !/runner_id/.test(what),
);

function may(role: RoleType, permission: Permission, isBound: boolean): boolean {
  const row = table[permission]?.split(" ") as May[] | undefined;
  if (row === undefined) return permissionsOfRole(role, isBound).includes(permission); // not of this table
  const at = columns.indexOf(role === "hosted-installer" ? "installer" : role);
  return row[at] === "●" || (row[at] === "○" && isBound);
}

test("every route that needs a token names a permission that there is", () => {
  const nameless = routes.filter(({ rule }) => !permissions.some((one) => one === rule.permission));
  expect(nameless.map(({ what }) => what)).toEqual([]);
});

test("every route of the control plane names the permission of its area", () => {
  expect(ofControlPlane.length).toBeGreaterThan(80);
  const wrong = ofControlPlane.flatMap(({ rule, what }) => {
    const needed = areas.find(([pattern]) => pattern.test(what))?.[1];
    return needed === rule.permission ? [] : [`${what}: ${rule.permission}, not ${needed ?? "?"}`];
  });
  expect(wrong).toEqual([]);
});

test("the roles have what the table says", () => {
  const wrong = roleTypes.flatMap((role) =>
    (Object.keys(table) as Permission[]).flatMap((permission) =>
      [true, false]
        .filter(
          (isBound) =>
            may(role, permission, isBound) !==
            permissionsOfRole(role, isBound).includes(permission),
        )
        .map((isBound) => `${role}${isBound ? ", bound" : ""}: ${permission}`),
    ),
  );
  expect(wrong).toEqual([]);
});

describe.each(roleTypes)("%s", (role) => {
  let broker: TestBroker;
  let tokens: Record<"bound" | "unbound", string | undefined>;
  beforeAll(async () => {
    const { db, url } = await testDatabase();
    const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", SVC_LOG_LEVEL: "error" };
    broker = await startBroker({ url, env });
    const orgId = await givenOrg(db);
    const { runnerId } = await givenRunner(db, { orgId });
    const { appId } = await givenApp(db, { orgId });
    const own = {
      name: "t",
      createdById: "",
      ...(role === "runner" ? { kind: "rt" as const, runnerId } : { kind: "sa" as const, role }),
    };
    const bound = { type: "apps", id: appId } as const;
    tokens = {
      unbound: (await createToken(db, orgId, own)).secret,
      bound:
        role === "runner" ? undefined : (await createToken(db, orgId, { ...own, bound })).secret,
    };
  });

  test.each(["unbound", "bound"] as const)(
    "is let in by the permissions it has, %s",
    async (how) => {
      const token = tokens[how];
      if (token === undefined) return; // a runner's token is bound to its runner
      const wrong: string[] = [];
      for (const { rule, what } of routes) {
        if (rule.permission === null || rule.permission.startsWith("runner.")) continue;
        const address = what.replaceAll(/\{\w+\}/g, `job_${"0".repeat(26)}`);
        const answer = await broker.call<{ code?: string }>(`${address}?surprise=1`, {
          token,
          ...(!what.startsWith("GET") && { body: { surprise: true } }),
        });
        const isLetIn = answer.body?.code !== "permission_missing";
        const isBound = how === "bound";
        const mayAs = [rule.permission, ...(rule.or === undefined ? [] : [rule.or])];
        if (isLetIn !== mayAs.some((permission) => may(role, permission, isBound)))
          wrong.push(`${what}: ${answer.status} ${answer.body?.code}, needs ${rule.permission}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});
