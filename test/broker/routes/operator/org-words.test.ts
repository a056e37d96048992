import { expect, test } from "vitest";
import { bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { Org } from "../../../../shared/api/orgs.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { testDatabase } from "../../../support/database/database.ts";

const { db, url } = await testDatabase();
const broker = await startBroker({ url });

test("an org keeps the tags and the sandbox mode that clients say of it", async () => {
  const { adminToken: token } = await bootstrapOrg(db, "First");
  const body = { name: "Acme", use_sandbox_mode: true, tags: ["trial", "eu"] };
  const made = await broker.call<Org>("POST /v1/orgs", { token, body });
  expect(made).toMatchObject({ status: 201, body: { sandbox_mode: true, tags: ["trial", "eu"] } });
  const headers = { "x-svc-org-id": made.body.id };
  const change = async (changes: object) =>
    (await broker.call<Org>("PATCH /v1/orgs/current", { token, headers, body: changes })).body;
  expect(await change({ name: "Acme Ltd" })).toMatchObject({
    sandbox_mode: true,
    tags: ["trial", "eu"],
  });
  const changed = await change({ use_sandbox_mode: false, tags: [] });
  expect(changed).toMatchObject({ sandbox_mode: false, tags: [], status_v2: { status: "active" } });
  expect((await change({ tags: [] })).version).toBe(changed.version);
  const { body: read } = await broker.call<Org>("GET /v1/orgs/current", { token, headers });
  expect(read).toEqual(changed);
});
