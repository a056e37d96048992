import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import type { Rollout } from "../../../shared/api/rollouts.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { rolePermissions } from "../../../shared/permissions.ts";
import { endpoints } from "../../support/broker/route-rules.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";
import {
  type CallAs,
  givenBoundTokens,
  type MadeToken,
  toInstall,
} from "../../support/tokens/given-bound-tokens.ts";

const { db, as, org, own, sibling, api, ofApp, tokenOf, unbound } = await givenBoundTokens();
const refused = { status: 403, body: { code: "permission_missing" } };
const { runnerId } = own.runner;
const { body: install } = await org.api<Install>(`GET /v1/installs/${own.installId}`);
const groupId = install.runner_group_id;
const free = await givenRunner(db, { orgId: org.orgId });

/** A rollout that is over at once: it leaves the last process of a runner. */
async function rolloutOf(group: string): Promise<string> {
  const wish = { type: "restart", reason: "new image", runner_group_id: group };
  return (await org.api<{ id: string }>("POST /v1/runner-rollouts", wish)).body.id;
}
const idle = await givenRunner(db, { orgId: org.orgId });
await givenProcess(db, idle);
const rollouts = { ofInstall: await rolloutOf(groupId), ofNone: await rolloutOf(idle.groupId) };

const asking = endpoints.flatMap((route) =>
  route.rule.operatesRunner === true ? [{ ...route, name: route.operationId }] : [],
);
type Place = Readonly<Record<"runner_id" | "runner_group_id" | "rollout_id", string>>;

/** What the route is called there; no query of it is known, so that nothing is done by who is let in. */
const at = ({ method, path }: (typeof asking)[number], place: Place): string => {
  const ids = { ...place, install_id: own.installId, process_id: "prc_00000000000000000000000000" };
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof ids) => ids[name]);
  return `${method.toUpperCase()} ${address}?surprise=1`;
};

describe.each(asking)("$name", (route) => {
  const ofInstall = {
    runner_id: runnerId,
    runner_group_id: groupId,
    rollout_id: rollouts.ofInstall,
  };
  const ofNone = {
    runner_id: free.runnerId,
    runner_group_id: free.groupId,
    rollout_id: rollouts.ofNone,
  };
  const reaches = !route.path.includes("{rollout_id}"); // of the whole org to bound tokens

  test("asks of an install's runner what its operators may do, of another what it asks anyway", async () => {
    expect(await unbound(at(route, ofInstall))).toMatchObject(refused);
    const elsewhere = route.path.includes("install_id") ? 403 : 422;
    expect((await unbound(at(route, ofNone))).status).toBe(elsewhere);
    expect((await org.api(at(route, ofInstall))).status).toBe(422);
  });

  test("is for who is bound to the install or its app, and for no other install's", async () => {
    expect((await api(at(route, ofInstall))).status).toBe(reaches ? 422 : 403);
    expect((await ofApp(at(route, ofInstall))).status).toBe(reaches ? 422 : 403);
    const strange = await tokenOf(toInstall(sibling.installId));
    expect((await strange(at(route, ofInstall))).status).toBe(reaches ? 404 : 403);
  });
});

test("a stack that is bound to the install gets its agent's enrolment token, an unbound one does not", async () => {
  const ways = [
    `POST /v1/runners/${runnerId}/enrolment-tokens`,
    `POST /v1/installs/${own.installId}/runner-bootstrap-token`,
  ];
  const bound = await tokenOf(toInstall(own.installId), "stack");
  const loose = as(await givenToken(db, { orgId: org.orgId, role: "stack" }));
  for (const way of ways) {
    expect(await loose(way, {})).toMatchObject(refused);
    expect((await bound(way, {})).status).toBe(201);
  }
  expect((await loose(`POST /v1/runners/${free.runnerId}/enrolment-tokens`, {})).status).toBe(201);
});

test("a runner is added to an install's group by its operators alone", async () => {
  const wish = (group: string, name: string) => ({
    name,
    display_name: name,
    runner_group_id: group,
  });
  const path = "POST /v1/runners";
  expect(await unbound(path, wish(groupId, "mole"))).toMatchObject(refused);
  expect((await unbound<Runner>(path, wish(free.groupId, "mine"))).body).toMatchObject({
    install_id: null,
  });
  expect((await api<Runner>(path, wish(groupId, "second"))).body).toMatchObject({
    install_id: own.installId,
  });
});

test("the token of an install's runner is made, rotated and revoked by who operates it", async () => {
  const permissions = rolePermissions.org_admin.filter((one) => one !== "installs.operate");
  const policies = [{ name: "all", permissions }];
  const role = { title: "Keeps tokens", role_type: "org_admin", policies };
  const { id: roleId } = (await org.api<{ id: string }>("POST /v1/roles", role)).body;
  const wanted = { name: "k", kind: "sa", role_id: roleId };
  const { secret } = (await org.api<MadeToken>("POST /v1/tokens", wanted)).body;
  const keeper = as(secret);
  const ofRunner = (runner: string) => ({ name: "r", kind: "rt", runner_id: runner });
  expect(await keeper("POST /v1/tokens", ofRunner(runnerId))).toMatchObject(refused);
  const made = async (by: CallAs, runner: string) =>
    (await by<MadeToken>("POST /v1/tokens", ofRunner(runner))).body.id;
  const theirs = await made(org.api, runnerId);
  expect(await keeper(`POST /v1/tokens/${theirs}/rotate`, {})).toMatchObject(refused);
  expect(await keeper(`DELETE /v1/tokens/${theirs}`)).toMatchObject(refused);
  expect(await keeper(`POST /v1/runners/${runnerId}/prune-tokens`, {})).toMatchObject(refused);
  expect((await keeper(`POST /v1/runners/${free.runnerId}/prune-tokens`, {})).status).toBe(200);
  const others = await made(keeper, free.runnerId);
  expect((await keeper(`POST /v1/tokens/${others}/rotate`, {})).status).toBe(201);
  expect((await keeper(`DELETE /v1/tokens/${others}`)).status).toBe(200);
});

test("a rollout orders installs' runners for who operates installs, and others' for others, and so it is called off", async () => {
  await givenProcess(db, own.runner);
  await givenProcess(db, free);
  const path = "POST /v1/runner-rollouts";
  const wish = { type: "restart", max_at_once: 1, reason: "new image" };
  for (const of of [{ whole_org: true }, { runner_group_id: groupId }])
    expect(await unbound(path, { ...wish, ...of })).toMatchObject(refused);
  const started = await unbound<Rollout>(path, { ...wish, runner_group_id: free.groupId });
  expect(started.status).toBe(201);
  expect((await unbound(`${path}/${started.body.id}/cancel`, {})).status).toBe(200);
  const theirs = await org.api<Rollout>(path, { ...wish, runner_group_id: groupId });
  const cancel = `${path}/${theirs.body.id}/cancel`;
  expect(await unbound(cancel, {})).toMatchObject({
    status: 403,
    body: {
      code: "permission_missing",
      detail: expect.stringContaining("needs the permission installs.operate") as unknown,
    },
  });
  const builder = as(await givenToken(db, { orgId: org.orgId, role: "org_builder" }));
  expect(await builder(cancel, {})).toMatchObject(refused);
  expect((await org.api<Rollout>(cancel, {})).body.cancelled_by_id).not.toBeNull();
});

test("jobs of an install's runner are cancelled by who operates it, one by one and all at once", async () => {
  const [theirs, others] = [await givenJob(db, own.runner), await givenJob(db, free)];
  expect(await unbound(`POST /v1/runner-jobs/${theirs}/cancel`, {})).toMatchObject(refused);
  const all = await unbound("POST /v1/runner-jobs/cancel", { all: true });
  expect(all.body).toMatchObject({ cancelled: 1, has_more: false });
  const live = await db<{ id: string }[]>`
    select id from runner_job_live where id = any(${[theirs, others]})`;
  expect(live.map(({ id }) => id)).toEqual([theirs]);
  expect((await api(`POST /v1/runner-jobs/${theirs}/cancel`, {})).status).toBe(202);
});
