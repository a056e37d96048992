import { expect, test } from "vitest";
import { givenAudit } from "../../support/broker/given-audit.ts";
import { givenProcess, givenRunner } from "../../support/rows/given.ts";

const { db, broker, mine, admin, events } = await givenAudit();

test.each([
  ["app", "POST /v1/apps", { name: "told" }],
  [
    "rollout",
    "POST /v1/runner-rollouts",
    { whole_org: true, type: "graceful", include_last: true },
  ],
  [
    "role",
    "POST /v1/roles",
    {
      title: "t",
      role_type: "org_support",
      policies: [{ name: "p", permissions: ["orgs.read"] }],
    },
  ],
])("an act names what kind of thing was made: %s", async (type, what, body) => {
  await givenProcess(db, await givenRunner(db, { orgId: mine.orgId })); // for the rollout
  const made = await broker.call<{ id: string }>(what, { token: admin, body });
  const [event] = await events(`target_id=${made.body.id}`);
  expect(event).toMatchObject({ status: 201, target_type: type });
});
