import { describe, expect, test } from "vitest";
import { actions } from "../../../broker/dashboard/pages.ts";
import type { RunnerProcess } from "../../../shared/api/runner-process.ts";
import type { RunnerGroup, Runner } from "../../../shared/api/runner.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg, givenProcess } from "../../support/rows/given.ts";
import {
  givenStateJob,
  givenWorkspace,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, call } = dashboard;
const cookie = await signIn(await link());

type Posted = { readonly status: number; readonly text: string; readonly said: string };

/** Sends a form of a page as a browser does. */
async function post(
  path: string,
  form: Record<string, string> = {},
  headers = {},
): Promise<Posted> {
  const response = await fetch(broker.url + path, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { "user-agent": "node", "sec-fetch-site": "same-origin", cookie, ...headers },
    redirect: "manual",
  });
  const flash = response.headers.getSetCookie().find((one) => one.startsWith("svc_said="));
  const value = flash?.slice("svc_said=".length).split(";")[0] ?? "";
  const said = Buffer.from(value, "base64url").toString();
  return { status: response.status, text: await response.text(), said };
}

const read = async (id: string): Promise<Runner> =>
  (await call<Runner>(`GET /v1/runners/${id}`)).body;
const processesOf = async (id: string): Promise<RunnerProcess[]> =>
  (await call<{ items: RunnerProcess[] }>(`GET /v1/runners/${id}/processes`)).body.items;
const enqueue = async (id: string) =>
  await call(`POST /v1/runners/${id}/jobs`, {
    body: { type: "noop-deploy", operation: "exec", owner_id: "o", owner_type: "test" },
  });

describe("a runner", () => {
  test("is paused with a note and an end, and resumed", async () => {
    const { id } = await dashboard.createRunner();
    const paused = await post(`/runners/${id}/pause`, { note: "new disk", until: "2h" });
    expect(paused).toMatchObject({ status: 303 });
    expect(paused.said).toContain(`/runners/${id}/resume`);
    expect((await read(id)).pause).toMatchObject({ note: "new disk" });
    expect((await dashboard.html(`/runners/${id}`, cookie)).text).toContain("new disk");
    expect((await post(`/runners/${id}/resume`)).status).toBe(303);
    expect((await read(id)).pause).toBe(null);
  });

  test("keeps what was entered when the end is none", async () => {
    const { id } = await dashboard.createRunner();
    const wrong = await post(`/runners/${id}/pause`, { note: "new disk", until: "soon" });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('value="new disk"');
    expect(wrong.text).toContain('value="soon"');
    expect(wrong.text).toContain("Give an instant like");
    expect((await read(id)).pause).toBe(null);
  });

  test("drains; a second order takes the place of the first, and the question says so", async () => {
    const { id, given } = await dashboard.createRunner();
    await givenProcess(db, given);
    const drained = await post(`/runners/${id}/drain`, { deadline: "10m" });
    expect(drained.said).toContain("1 process is told to shut down");
    const question = await dashboard.html(`/runners/${id}/restart`, cookie);
    expect(question.text).toContain("1 order is open already");
    expect((await post(`/runners/${id}/restart`, { deadline: "10m" })).status).toBe(303);
    const [process] = await processesOf(id);
    expect(process?.shutdowns.map(({ type, status }) => [type, status])).toEqual([
      ["restart", "requested"],
      ["graceful", "cancelled"],
    ]);
  });

  test("is stopped by force only when its name was typed; nothing replaces that", async () => {
    const { id, name, given } = await dashboard.createRunner();
    await givenProcess(db, given);
    const wrong = await post(`/runners/${id}/force-shutdown`, { typed: "another" });
    expect(wrong.status).toBe(422);
    expect((await processesOf(id))[0]?.shutdowns).toEqual([]);
    const forced = await post(`/runners/${id}/force-shutdown`, { typed: name });
    expect(forced.said).toContain("told to stop now");
    const again = await post(`/runners/${id}/drain`);
    expect(again.status).toBe(409);
    expect(again.text).toContain("A forced shutdown is already in progress");
  });

  test("without a process has nobody to restart, and one that is gone is not found", async () => {
    const { id } = await dashboard.createRunner();
    for (const answer of [
      await dashboard.html(`/runners/${id}/restart`, cookie),
      await post(`/runners/${id}/restart`),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.text).toContain("there is nobody to restart");
    }
    await call(`DELETE /v1/runners/${id}`);
    expect((await post(`/runners/${id}/drain`)).status).toBe(404);
  });

  test("has one of its processes shut down", async () => {
    const { id, given } = await dashboard.createRunner();
    const [first, second] = [await givenProcess(db, given), await givenProcess(db, given)];
    await post(`/runners/${id}/processes/${first}/shutdown`, { type: "graceful", deadline: "5m" });
    const orders = new Map((await processesOf(id)).map((one) => [one.id, one.shutdowns.length]));
    expect([orders.get(first), orders.get(second)]).toEqual([1, 0]);
  });

  test("loses the jobs that wait for it, counted; an unknown group ends none", async () => {
    const { id } = await dashboard.createRunner();
    for (let count = 0; count < 3; count++) await enqueue(id);
    expect((await dashboard.html(`/runners/${id}/flush`, cookie)).text).toContain("3 jobs wait");
    expect((await post(`/runners/${id}/flush`, { group: "none" })).status).toBe(422);
    expect((await post(`/runners/${id}/flush`, { group: "deploy" })).said).toContain(
      "3 waiting jobs",
    );
  });

  test("is disabled and enabled", async () => {
    const { id } = await dashboard.createRunner();
    await post(`/runners/${id}/disable`);
    expect((await read(id)).lifecycle).toBe("disabled");
    await post(`/runners/${id}/enable`);
    expect((await read(id)).lifecycle).toBe("enabled");
  });
});

describe("settings", () => {
  test("that somebody else changed meanwhile are not overwritten; what was entered is kept", async () => {
    const group = await dashboard.createGroup();
    const at = `/groups/${group.id}/settings`;
    const path = `/v1/runner-groups/${group.id}/settings`;
    const first = { version: "1", logging_level: "DEBUG", "parallelism-deploy": "7" };
    await call(`PATCH ${path}`, { body: { logging_level: "ERROR" } });
    const raced = await post(at, first);
    expect(raced.status).toBe(412);
    expect(raced.text).toContain('value="7"');
    expect(raced.text).toContain("Now: ERROR");
    const [, version = ""] = /name="version" value="(\d+)"/.exec(raced.text) ?? [];
    expect((await post(at, { ...first, version })).status).toBe(303);
    const { body } = await call<RunnerGroup["settings"]>(`GET ${path}`);
    expect(body).toMatchObject({ logging_level: "DEBUG", job_group_parallelism: { deploy: "7" } });
  });
});

describe("a queue", () => {
  test("is purged only when its name was typed, and says how many it cancelled", async () => {
    const queue = await call<{ id: string }>("POST /v1/queues", { body: { name: "mails" } });
    const at = `/queues/${queue.body.id}`;
    for (let count = 0; count < 2; count++) {
      await call(`POST /v1${at}/signals`, { body: { type: "work" } });
    }
    expect((await post(`${at}/purge`, { typed: "mail" })).status).toBe(422);
    expect((await post(`${at}/purge`, { typed: "mails" })).said).toContain("Cancelled 2 signals");
  });
});

describe("a workspace", () => {
  test("keeps the lock of a job that runs", async () => {
    const id = await givenWorkspace(dashboard);
    const { token, jobId } = await givenStateJob(dashboard, id);
    await call(`POST /v1/terraform-workspaces/${id}/lock`, { token, body: terraformLock() });
    const refused = await post(`/workspaces/${id}/force-unlock`, { reason: "it hangs" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(
      `Job ${jobId} is running or still stopping, and holds this lock`,
    );
    expect((await call(`GET /v1/terraform-workspaces/${id}/lock`)).status).toBe(200);
  });
});

describe("a token", () => {
  test("that is one's own ends the session when it is revoked, and the question says so", async () => {
    const own = await givenToken(db, { orgId, role: "org_admin" });
    const session = await signIn(await link(own));
    const { body } = await broker.call<{ id: string }>("GET /v1/tokens/current", { token: own });
    const at = `/tokens/${body.id}/revoke`;
    expect((await dashboard.html(at, session)).text).toContain("this session ends");
    await post(at, {}, { cookie: session });
    expect((await dashboard.html("/tokens", session)).status).toBe(303);
  });
});

describe("no action", () => {
  test("is done for a form of another site, for another org, or for whoever may only read", async () => {
    const { id, given } = await dashboard.createRunner();
    await givenProcess(db, given);
    const reader = await signIn(await link(await givenToken(db, { orgId, role: "org_read_only" })));
    const stranger = await signIn(await link(await givenToken(db, { orgId: await givenOrg(db) })));
    const at = `/runners/${id}/drain`;
    expect((await post(at, {}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post(at, {}, { cookie: reader })).status).toBe(403);
    expect((await post(at, {}, { cookie: stranger })).status).toBe(404);
    expect((await processesOf(id))[0]?.shutdowns).toEqual([]);
    const { text } = await dashboard.html(`/runners/${id}`, reader);
    expect(text).not.toContain("/drain");
    expect(text).not.toContain("/shutdown");
  });

  test("is open to whoever may only read, but for what is one's own", async () => {
    const reader = await signIn(await link(await givenToken(db, { orgId, role: "org_read_only" })));
    const ofOthers = actions.filter(({ permission }) => permission !== "tokens.own");
    const statuses = await Promise.all(
      ofOthers.map(async ({ path }) => {
        const address = path.replaceAll(/\{(\w+)\}/g, "x");
        return (await post(address, {}, { cookie: reader })).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([403]));
  });
});
