import { describe, expect, test } from "vitest";
import type { Rollout } from "../../../shared/api/rollouts.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { givenApp } from "../../support/apps/given-app.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg, givenProcess } from "../../support/rows/given.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, call, html } = dashboard;
const cookie = await signIn(await link());

async function post(path: string, form: Record<string, string> = {}, as = cookie) {
  const response = await fetch(broker.url + path, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { "user-agent": "node", "sec-fetch-site": "same-origin", cookie: as },
    redirect: "manual",
  });
  const to = response.headers.get("location") ?? "";
  return { status: response.status, text: await response.text(), to };
}

/** A group whose only runner has two live processes. */
async function setup() {
  const group = await dashboard.createGroup({ name: "acme" });
  const runner = await dashboard.createRunner({ runner_group_id: group.id });
  const processes = [await givenProcess(db, runner.given), await givenProcess(db, runner.given)];
  return { group, runner, processes, at: `/groups/${group.id}` };
}
const rollouts = async (groupId: string): Promise<Rollout[]> =>
  (await call<{ items: Rollout[] }>(`GET /v1/runner-rollouts?runner_group_id=${groupId}`)).body
    .items;

describe("a rollout", () => {
  test("is begun on the page of its group, followed, and called off", async () => {
    const { group, at } = await setup();
    const begun = await post(`${at}/rollout`, {
      type: "restart",
      max_at_once: "2",
      include_last: "yes",
      deadline: "5m",
      reason: "new image",
    });
    expect(begun.status).toBe(303);
    expect(begun.to).toMatch(/^\/rollouts\/rlo_/);
    expect(await rollouts(group.id)).toMatchObject([
      { type: "restart", max_at_once: 2, include_last: true, deadline: 300e9, reason: "new image" },
    ]);
    for (const page of [at, "/rollouts", begun.to])
      expect((await html(page, cookie)).text).toContain("new image");
    const second = await post(`${at}/rollout`, { type: "restart", max_at_once: "1" });
    expect(second.status).toBe(409);
    expect(second.text).toContain("is under way for the same runners");
    expect((await html(`${begun.to}/cancel`, cookie)).text).toContain(
      "No further process is ordered",
    );
    expect((await post(`${begun.to}/cancel`)).status).toBe(303);
    expect((await rollouts(group.id))[0]?.cancelled_by_id).not.toBeNull();
    expect((await html(begun.to, cookie)).text).not.toContain(`${begun.to}/cancel"`);
  });

  test("is not begun by a wrong field, nor by force without the group's name", async () => {
    const { group, at } = await setup();
    const given = { type: "restart", max_at_once: "1", reason: "kept" };
    for (const wrong of [
      { max_at_once: "0" },
      { max_at_once: "many" },
      { deadline: "soon" },
      { type: "explode" },
      { type: "force", typed: "other" },
    ]) {
      const answer = await post(`${at}/rollout`, { ...given, ...wrong });
      expect({ wrong, status: answer.status }).toEqual({ wrong, status: 422 });
      expect(answer.text).toContain('value="kept"');
    }
    expect(await rollouts(group.id)).toEqual([]);
    const forced = await post(`${at}/rollout`, { ...given, type: "force", typed: "acme" });
    expect(forced.status).toBe(303);
  });

  test("of all groups is begun on the page of rollouts, and is over where nobody lives", async () => {
    const other = await givenToken(db, { orgId: await givenOrg(db) });
    const stranger = await signIn(await link(other));
    const given = { type: "graceful", max_at_once: "1" };
    expect((await post("/org/rollout", given, stranger)).status).toBe(409);
    const { group, at } = await setup();
    await post(`${at}/rollout`, given);
    const [made] = await rollouts(group.id);
    for (const path of ["", "/cancel"]) {
      const foreign = await html(`/rollouts/${made?.id}${path}`, stranger);
      expect(foreign.status).toBe(404);
    }
    const reader = await signIn(await link(await givenToken(db, { orgId, role: "org_read_only" })));
    expect((await html(`/rollouts/${made?.id}`, reader)).text).not.toContain("/cancel");
    expect((await post(`/rollouts/${made?.id}/cancel`, {}, reader)).status).toBe(403);
    expect((await post("/org/rollout", given, reader)).status).toBe(403);
  });

  test("of an install's runner is called off by whom it asks, and offered to nobody else", async () => {
    const operator = await signIn(await link(await givenToken(db, { orgId, role: "installer" })));
    const { group, at } = await setup();
    await post(`${at}/rollout`, { type: "restart", max_at_once: "1" });
    const [made] = await rollouts(group.id);
    const page = `/rollouts/${made?.id}`;
    expect((await html(page, operator)).text).toContain(`${page}/cancel`);
    const { appId } = await givenApp(db, { orgId });
    const install = { name: "acme", runner_group_id: group.id, start: false };
    expect((await call(`POST /v1/apps/${appId}/installs`, { body: install })).status).toBe(201);
    expect((await html(page, operator)).text).not.toContain(`${page}/cancel`);
    expect((await post(`${page}/cancel`, {}, operator)).status).toBe(403);
    expect((await html(page, cookie)).text).toContain(`${page}/cancel`);
  });
});

test("a managed runner whose agent was drained has it started again on its page", async () => {
  const { id, given } = await dashboard.createRunner();
  expect((await html(`/runners/${id}`, cookie)).text).not.toContain("start-agent");
  const mng = await givenProcess(db, given, { type: "mng", serves: { management: 1 } });
  const alone = await html(`/runners/${id}/processes/${mng}/shutdown`, cookie);
  expect(alone.text).toContain("It manages its host");
  const drained = await html(`/runners/${id}/drain`, cookie);
  expect(drained.status).toBe(409);
  expect(drained.text).toContain("Only the management process");
  expect((await html(`/runners/${id}`, cookie)).text).toContain(`/runners/${id}/start-agent`);
  expect((await post(`/runners/${id}/start-agent`, { reason: "disk" })).status).toBe(303);
  const { body } = await call<{ items: RunnerJob[] }>(`GET /v1/runners/${id}/jobs?cursor=`);
  expect(body.items).toMatchObject([{ type: "mng-runner-restart", metadata: { reason: "disk" } }]);
});
