import { describe, expect, test } from "vitest";
import type { Token } from "../../../shared/api/tokens.ts";
import { givenRunner } from "../../support/rows/given.ts";
import {
  approvalOf,
  type CallAs,
  givenBoundTokens,
  type MadeToken,
  toApp,
  toInstall,
} from "../../support/tokens/given-bound-tokens.ts";

const { db, call, org, own, sibling, other, foreign, step, as, tokenOf, api, ofApp, unbound } =
  await givenBoundTokens();

/** One route of each permission, at an install. A body that is refused shows that the caller was let in. */
const workOnInstalls: Record<string, (id: string) => [string, object?]> = {
  "installs.read": (id) => [`GET /v1/installs/${id}`],
  "workflows.read": (id) => [`GET /v1/installs/${id}/workflows`],
  "installs.write": (id) => [`POST /v1/installs/${id}/labels`, { labels: { seen: "yes" } }],
  "installs.operate": (id) => [`POST /v1/installs/${id}/actions/runs`, { name: "nothing" }],
  "installs.destroy": (id) => [`POST /v1/installs/${id}/forget`, { confirm: "not its name" }],
};
const letIn = [200, 201, 409, 422];

describe("a token bound to an install", () => {
  test.each(Object.keys(workOnInstalls))("has %s there, and nowhere else", async (permission) => {
    const ask = (caller: CallAs, id: string) => {
      const [what, body] = workOnInstalls[permission]?.(id) ?? [""];
      return caller(what, body);
    };
    expect(letIn).toContain((await ask(api, own.installId)).status);
    for (const { installId } of [sibling, other, foreign])
      expect(await ask(api, installId)).toMatchObject({
        status: 404,
        body: { code: "install_not_found" },
      });
    expect((await ask(ofApp, own.installId)).status).not.toBe(404);
    expect((await ask(ofApp, sibling.installId)).status).not.toBe(404);
    for (const { installId } of [other, foreign])
      expect((await ask(ofApp, installId)).status).toBe(404);
    expect(await ask(unbound, own.installId)).toMatchObject({
      status: 403,
      body: { code: "permission_missing" },
    });
  });

  test("answers approvals of its own workflows", async () => {
    const strange = await tokenOf(toInstall(sibling.installId));
    expect((await strange(`GET ${approvalOf(step)}`)).status).toBe(404);
    expect(
      (await strange(`POST ${approvalOf(step)}/response`, { response_type: "approve" })).status,
    ).toBe(404);
    expect((await strange(`PATCH /v1/workflows/${step.workflow_id}`, {})).status).toBe(404);
    expect((await unbound(`POST ${approvalOf(step)}/response`, {})).status).toBe(403);
    expect((await ofApp(`GET ${approvalOf(step)}`)).status).toBe(200);
    const { status } = await api(`POST ${approvalOf(step)}/response`, { response_type: "deny" });
    expect(status).toBe(201);
  });

  test("reads no app; one that is bound to the app reads that, and makes installs of it", async () => {
    expect((await api(`GET /v1/apps/${org.appId}`)).status).toBe(404);
    expect((await api("GET /v1/apps")).body).toEqual([]);
    expect((await ofApp(`GET /v1/apps/${org.appId}`)).status).toBe(200);
    expect((await ofApp(`GET /v1/apps/${other.appId}`)).status).toBe(404);
    expect((await ofApp<{ id: string }[]>("GET /v1/apps")).body.map(({ id }) => id)).toEqual([
      org.appId,
    ]);
    const install = { name: "mine", inputs: { audience: "me" }, start: false };
    expect((await ofApp(`POST /v1/apps/${org.appId}/installs`, install)).status).toBe(201);
    expect((await ofApp("POST /v1/installs", { ...install, app_id: other.appId })).status).toBe(
      404,
    );
    expect((await api("POST /v1/installs", { ...install, app_id: org.appId })).status).toBe(404);
    const free = await givenRunner(db, { orgId: org.orgId });
    const taking = { ...install, name: "taker", runner_group_id: free.groupId };
    expect(await ofApp(`POST /v1/apps/${org.appId}/installs`, taking)).toMatchObject({
      status: 403,
      body: { code: "bound_only" },
    });
  });

  test("is refused what is about the whole org", async () => {
    const admin = await tokenOf(toInstall(own.installId), "org_admin");
    for (const what of [
      "GET /v1/tokens",
      "GET /v1/accounts",
      "GET /v1/queues",
      "GET /v1/stats/jobs",
    ])
      expect(await admin(what)).toMatchObject({ status: 403, body: { code: "bound_only" } });
    expect((await admin("GET /v1/roles")).status).toBe(200);
    expect((await admin("GET /v1/tokens/current")).body).toMatchObject(toInstall(own.installId));
  });

  test("is shown as itself, without what the account has that limits it", async () => {
    const person = { name: "Ann", email: "ann@example.com", account_type: "auth" };
    const account = await org.api<Token>("POST /v1/accounts", { ...person, roles: ["org_admin"] });
    const wanted = { name: "b", kind: "it", role: "installer", account_id: account.body.id };
    const made = await org.api<MadeToken>("POST /v1/tokens", {
      ...wanted,
      ...toInstall(own.installId),
    });
    const shown = await as(made.body.secret)("GET /v1/account");
    expect(shown).toMatchObject({ status: 200, body: { id: made.body.id, email: "" } });
    expect(JSON.stringify(shown.body)).not.toContain("ann@example.com");
  });

  test("stays bound when it is rotated", async () => {
    const made = (await api<MadeToken>("POST /v1/tokens/current/rotate", {})).body;
    expect(made).toMatchObject(toInstall(own.installId));
    expect((await as(made.secret)(`GET /v1/installs/${sibling.installId}`)).status).toBe(404);
  });
});

test("an idempotency key tells a bound token no answer that another caller got", async () => {
  const body = { name: "keyed", inputs: { audience: "me" }, start: false, app_id: org.appId };
  const create = async (token: string) => {
    const headers = { "idempotency-key": "create-keyed" };
    return (await call("POST /v1/installs", { token, body, headers })).status;
  };
  const strange = { name: "s", role: "org_admin", ...toApp(other.appId) };
  const { secret } = (await org.api<MadeToken>("POST /v1/tokens", strange)).body;
  expect([await create(org.token), await create(org.token)]).toEqual([201, 201]);
  expect(await create(secret)).toBe(422);
});

describe("making a bound token", () => {
  test("needs an app or an install of the org, and both members", async () => {
    const make = (body: object) =>
      org.api<MadeToken>("POST /v1/tokens", { name: "b", role: "installer", ...body });
    for (const [body, pointer, code] of [
      [toInstall(foreign.installId), "#/bound_id", "install_not_found"],
      [toApp("app_00000000000000000000000000"), "#/bound_id", "app_not_found"],
      [{ bound_type: "apps" }, "#/bound_id", "required"],
      [{ bound_id: own.installId }, "#/bound_type", "required"],
    ] as const)
      expect(await make(body)).toMatchObject({
        status: 422,
        body: { errors: [{ pointer, code }] },
      });
    const runners = { kind: "rt", role: undefined, runner_id: own.runner.runnerId };
    expect((await make({ ...runners, ...toInstall(own.installId) })).status).toBe(422);
  });

  test("shows in lists what each is bound to", async () => {
    const { body } = await org.api<{ items: Token[] }>(`GET /v1/tokens?bound_id=${own.installId}`);
    expect(body.items.length).toBeGreaterThan(0);
    for (const token of body.items) expect(token).toMatchObject(toInstall(own.installId));
  });
});
