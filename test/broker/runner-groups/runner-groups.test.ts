import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerGroup } from "../../../shared/api/runner.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

describe("a runner group", () => {
  test("starts with settings that fit its type", async () => {
    const install = await at.createGroup({
      name: " Acme ",
      owner_id: "ins_1",
      owner_type: "install",
    });
    expect(install).toMatchObject({
      name: "Acme",
      owner_id: "ins_1",
      owner_type: "install",
      type: "install",
      platform: "aws",
      pause: null,
      runners: [],
    });
    expect(install.settings?.groups).toEqual([
      "sync",
      "sandbox",
      "deploy",
      "actions",
      "operations",
    ]);
    const org = await at.createGroup({ type: "org", settings: { sandbox_mode: true } });
    expect(org).toMatchObject({ owner_id: at.orgId, owner_type: "org" });
    expect(org.settings).toMatchObject({
      groups: ["sync", "build", "operations"],
      sandbox_mode: true,
    });
  });

  test.each([
    [{ type: "fleet" }, "#/type", "invalid_value"],
    [{ type: "org", platform: "moon" }, "#/platform", "invalid_value"],
    [{ type: "org", colour: "red" }, "#/colour", "unknown_member"],
    [{ type: "org", owner_id: "x" }, "#/owner_id", "owner_incomplete"],
    [{}, "#/type", "invalid_value"],
    [
      { type: "org", settings: { heart_beat_timeout: 1 } },
      "#/settings/heart_beat_timeout",
      "invalid_duration",
    ],
    [
      { type: "org", settings: { container_image_signature_issuer: "https://issuer.example" } },
      "#/settings/container_image_signature_identity_regexp",
      "signature_incomplete",
    ],
  ])("refuses %j", async (body, pointer, code) => {
    const answer = await at.call("POST /v1/runner-groups", { body });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
  });

  test("is made once for an idempotency key", async () => {
    const create = () =>
      at.call("POST /v1/runner-groups", {
        body: { type: "org", name: "once" },
        headers: { "idempotency-key": "group-1" },
      });
    const [first, second] = [await create(), await create()];
    expect(first.status).toBe(201);
    expect(second.body["id"]).toBe(first.body["id"]);
  });

  test("is listed page by page, the newest first, with filters", async () => {
    const owner = { owner_id: "ins_paged", owner_type: "install" };
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await at.createGroup(owner)).id);
    const seen: string[] = [];
    let cursor = "";
    do {
      const path = `/v1/runner-groups?limit=2&owner_id=ins_paged&cursor=${cursor}`;
      const { body } = await at.call<{ items: RunnerGroup[]; next_cursor: string | null }>(
        `GET ${path}`,
      );
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.next_cursor ?? "";
    } while (cursor !== "");
    expect(seen).toEqual(made);
    const wrong = await at.call(`GET /v1/runner-groups?type=fleet`);
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: "?type" }] } });
  });

  test("keeps what a change does not name; another platform is another version of its settings", async () => {
    const group = await at.createGroup({
      name: "before",
      owner_id: "ins_2",
      owner_type: "install",
    });
    const path = `/v1/runner-groups/${group.id}`;
    const renamed = await at.call(`PATCH ${path}`, { body: { name: "after" } });
    expect(renamed).toMatchObject({
      status: 200,
      body: { name: "after", owner_id: "ins_2", platform: "aws" },
    });
    expect(renamed.body["settings"]).toMatchObject({ version: 1 });
    const moved = await at.call(`PATCH ${path}`, { body: { platform: "gcp-gke" } });
    expect(moved.body["settings"]).toMatchObject({ version: 2, platform: "gcp-gke" });
    const wrong = await at.call(`PATCH ${path}`, { body: { type: "org" } });
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/type" }] } });
  });

  test("is deleted when it has no runners any more, and not before", async () => {
    const group = await at.createGroup();
    const runner = await at.createRunner({ runner_group_id: group.id });
    const path = `/v1/runner-groups/${group.id}`;
    const refused = await at.call(`DELETE ${path}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "runner_group_in_use" } });
    expect((await at.call(`DELETE /v1/runners/${runner.id}`)).status).toBe(204);
    expect((await at.call(`DELETE ${path}`)).status).toBe(204);
    for (const what of [`GET ${path}`, `DELETE ${path}`, `PATCH ${path}`, `GET ${path}/settings`]) {
      expect(await at.call(what)).toMatchObject({
        status: 404,
        body: { code: "runner_group_not_found" },
      });
    }
    const late = await at.call("POST /v1/runners", {
      body: { name: "late", runner_group_id: group.id },
    });
    expect(late).toMatchObject({ status: 404, body: { code: "runner_group_not_found" } });
  });

  test("is never deleted under a runner that is being created", async () => {
    for (let n = 0; n < 10; n++) {
      const group = await at.createGroup();
      const body = { name: `racer ${n}`, runner_group_id: group.id };
      const [created, deleted] = await Promise.all([
        at.call("POST /v1/runners", { body }),
        at.call(`DELETE /v1/runner-groups/${group.id}`),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([created.status, deleted.status]);
    }
  });

  test("of another org is not there", async () => {
    const group = await at.createGroup();
    const stranger = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    const path = `/v1/runner-groups/${group.id}`;
    const calls = [
      `GET ${path}`,
      `PATCH ${path}`,
      `DELETE ${path}`,
      `POST ${path}/pause`,
      `POST ${path}/resume`,
      `GET ${path}/settings`,
      `PATCH ${path}/settings`,
    ];
    for (const what of calls) {
      const answer = await at.call(what, { token: stranger });
      expect([what, answer.status]).toEqual([what, 404]);
    }
    const runner = await at.call("POST /v1/runners", {
      token: stranger,
      body: { name: "theirs", runner_group_id: group.id },
    });
    expect(runner.status).toBe(404);
  });
});
