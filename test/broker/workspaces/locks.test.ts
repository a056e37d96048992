import { beforeAll, describe, expect, test } from "vitest";
import type { Workspace } from "../../../shared/api/terraform-workspaces.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const lockPath = (id: string): string => `POST /v1/terraform-workspaces/${id}/lock`;
const unlockPath = (id: string): string => `POST /v1/terraform-workspaces/${id}/unlock`;

describe("a lock", () => {
  test("is one's of twenty who ask at once, and the others are told whose", async () => {
    const id = await givenWorkspace(at);
    const locks = Array.from({ length: 20 }, () => terraformLock());
    const answers = await Promise.all(locks.map((body) => at.call(lockPath(id), { body })));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const holder = winners[0]?.body["ID"];
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 19 }, () => 423));
    for (const { body } of others) {
      expect(body).toMatchObject({
        ID: holder,
        Who: "ci@runner",
        Operation: "OperationTypeApply",
        code: "workspace_locked",
        user_error: true,
      });
    }
  });

  test("that is held already is answered again, and shows in the workspace", async () => {
    const id = await givenWorkspace(at);
    const job = await givenStateJob(at, id);
    const lock = terraformLock();
    for (const body of [lock, { ...lock, Who: "again" }]) {
      const answer = await at.call(lockPath(id), { body, token: job.token });
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: lock });
    }
    const shown = await at.call<Workspace>(`GET /v1/terraform-workspaces/${id}`);
    const words = Object.entries(lock).map(([name, value]) => [name.toLowerCase(), value]);
    expect(shown.body.lock).toMatchObject({
      lock: Object.fromEntries(words) as object,
      runner_job_id: job.jobId,
      workspace_id: id,
    });
    const own = await at.call(`GET /v1/terraform-workspaces/${id}/lock`);
    expect(own.body).toEqual(shown.body.lock);
  });

  test("needs an id, and is read in any case that a client writes its members in", async () => {
    const id = await givenWorkspace(at);
    for (const body of [{ Who: "me" }, { ID: "", Who: "me" }]) {
      const refused = await at.call(lockPath(id), { body });
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/ID" }] } });
    }
    const body = { id: "lower", who: "somebody", created: "yesterday", path: null, unknown: 1 };
    const answer = await at.call(lockPath(id), { body });
    expect(answer).toMatchObject({ status: 200, body: { ID: "lower", Who: "somebody", Path: "" } });
    expect(Date.parse(String(answer.body["Created"]))).not.toBeNaN();
  });

  test("is given up by its id, by an id in the query too; an unlocked workspace stays so", async () => {
    const id = await givenWorkspace(at);
    const lock = terraformLock();
    await at.call(lockPath(id), { body: lock });
    const other = await at.call(unlockPath(id), { body: terraformLock() });
    expect(other).toMatchObject({ status: 423, body: { ID: lock.ID } });
    expect((await at.call(unlockPath(id), { body: lock })).status).toBe(200);
    expect((await at.call(unlockPath(id), { body: lock })).status).toBe(200);
    await at.call(lockPath(id), { body: lock });
    expect((await at.call(`${unlockPath(id)}?ID=${lock.ID}`)).status).toBe(200);
    expect((await at.call(`GET /v1/terraform-workspaces/${id}/lock`)).status).toBe(404);
  });

  test("is taken away without an id by an operator only, which is written down", async () => {
    const id = await givenWorkspace(at);
    const job = await givenStateJob(at, id);
    const lock = terraformLock();
    await at.call(lockPath(id), { body: lock, token: job.token });
    for (const token of [job.token, job.runnerToken]) {
      for (const body of [undefined, { ID: "" }, { ID: "", Who: "" }]) {
        const refused = await at.call(unlockPath(id), { token, ...(body && { body }) });
        expect(refused).toMatchObject({ status: 423, body: { ID: lock.ID } });
      }
      const forced = await at.call(`POST /v1/terraform-workspaces/${id}/force-unlock`, {
        token,
        body: { reason: "mine" },
      });
      expect(forced.status).toBe(403);
    }
    expect((await at.call(unlockPath(id), { body: { ID: "" } })).status).toBe(200);
    expect((await at.call(unlockPath(id), { token: job.token })).status).toBe(200);
    await at.call(lockPath(id), { body: lock, token: job.token });
    const body = { reason: "its host is gone" };
    const force = { body: { ...body, force: true } };
    const answer = await at.call<Workspace>(
      `POST /v1/terraform-workspaces/${id}/force-unlock`,
      force,
    );
    expect(answer).toMatchObject({ status: 200, body: { lock: null } });
    const events = await at.call<object[]>(`GET /v1/terraform-workspaces/${id}/events`);
    expect(events.body).toMatchObject([
      { kind: "force-unlocked", ...body, info: { ID: lock.ID, Who: lock.Who } },
      { kind: "force-unlocked", reason: "", info: { ID: lock.ID } },
    ]);
  });

  test("stays when its job is cancelled, and lets it save; a new one is refused to who has ended", async () => {
    const id = await givenWorkspace(at);
    const job = await givenStateJob(at, id);
    const lock = terraformLock();
    await at.call(lockPath(id), { body: lock, token: job.token });
    expect((await at.call(`POST /v1/runner-jobs/${job.jobId}/cancel`)).status).toBe(202);
    const { token } = job;
    const headers = { "content-type": "application/json" };
    const body = stateText({ serial: 1 });
    const write = { token, body, headers };
    expect((await at.call(`POST ${backendPath(id, lock.ID)}`, write)).status).toBe(200);
    const next = await givenStateJob(at, id);
    const held = await at.call(lockPath(id), { body: terraformLock(), token: next.token });
    expect(held).toMatchObject({ status: 423, body: { ID: lock.ID } });
    expect((await at.call(unlockPath(id), { body: lock, token })).status).toBe(200);
    const late = await at.call(lockPath(id), { body: terraformLock(), token });
    expect(late).toMatchObject({ status: 409, body: { code: "execution_ended" } });
    expect(late.body["ID"]).toMatch(/^execution_ended: /);
  });

  test("that a person gives up, or another than took it, is written down", async () => {
    const id = await givenWorkspace(at);
    const job = await givenStateJob(at, id);
    const lock = terraformLock();
    const events = () => at.call<object[]>(`GET /v1/terraform-workspaces/${id}/events`);
    await at.call(lockPath(id), { body: lock, token: job.token });
    await at.call(unlockPath(id), { body: lock, token: job.token });
    expect((await events()).body).toEqual([]);
    for (const token of [job.runnerToken, at.token]) {
      await at.call(lockPath(id), { body: lock, token: job.token });
      expect((await at.call(unlockPath(id), { body: lock, token })).status).toBe(200);
    }
    const unlocked = { kind: "unlocked", info: { ID: lock.ID, Who: lock.Who } };
    expect((await events()).body).toMatchObject([unlocked, unlocked]);
  });
});

describe("a block", () => {
  test("refuses locks with its reason until it is lifted; who holds one may save and unlock", async () => {
    const id = await givenWorkspace(at);
    const job = await givenStateJob(at, id);
    const lock = terraformLock();
    const { token } = job;
    await at.call(lockPath(id), { body: lock, token });
    const reason = "apply was killed";
    const path = `/v1/terraform-workspaces/${id}`;
    const blocked = await at.call<Workspace>(`POST ${path}/block`, { body: { reason } });
    expect(blocked.body.block).toMatchObject({ reason });
    expect((await at.call(lockPath(id), { body: lock, token })).status).toBe(200);
    const body = stateText({ serial: 1 });
    expect((await at.call(`POST ${backendPath(id, lock.ID)}`, { token, body })).status).toBe(200);
    expect((await at.call(unlockPath(id), { body: lock, token })).status).toBe(200);
    for (const by of [token, at.token]) {
      const refused = await at.call(lockPath(id), { body: lock, token: by });
      expect(refused).toMatchObject({
        status: 423,
        body: {
          code: "workspace_blocked",
          ID: `blocked: ${reason}. Look into it, then: svc workspace unblock ${id} --reason …`,
          Info: reason,
          Path: id,
        },
      });
      expect(Date.parse(String(refused.body["Created"]))).not.toBeNaN();
    }
    expect((await at.call(`POST ${path}/unblock`, { token, body: { reason } })).status).toBe(403);
    const longTexts = await at.call<Workspace>(`POST ${path}/unblock`, {
      body: { reason: "looked" },
    });
    expect(longTexts.body.block).toBeNull();
    expect((await at.call(lockPath(id), { body: lock, token })).status).toBe(200);
    const events = await at.call<{ kind: string }[]>(`GET ${path}/events`);
    expect(events.body.map(({ kind }) => kind)).toEqual(["unblocked", "blocked"]);
  });

  test("may be put by a job on its own workspace, not on another, and needs a reason", async () => {
    const [id, other] = [await givenWorkspace(at), await givenWorkspace(at)];
    const { token } = await givenStateJob(at, id);
    const block = (one: string, body: object) =>
      at.call(`POST /v1/terraform-workspaces/${one}/block`, { token, body });
    expect((await block(id, { reason: "killed" })).status).toBe(200);
    expect((await block(other, { reason: "killed" })).status).toBe(404);
    expect((await block(id, { reason: " " })).status).toBe(422);
  });
});

describe("a workspace", () => {
  test("is listed by owner, by lock and by block, and deleted only while nobody holds it", async () => {
    const owner_id = `ins_${crypto.randomUUID()}`;
    const path = "/v1/terraform-workspaces";
    const make = () => at.call<Workspace>(`POST ${path}`, { body: { owner_id } });
    const [one, two] = [(await make()).body.id, (await make()).body.id];
    const lock = terraformLock();
    await at.call(lockPath(one), { body: lock });
    await at.call(`POST ${path}/${two}/block`, { body: { reason: "why" } });
    const ids = async (query: string): Promise<string[]> => {
      type Page = { items: Workspace[] };
      const page = await at.call<Page>(`GET ${path}?owner_id=${owner_id}${query}`);
      return page.body.items.map(({ id }) => id);
    };
    expect(await ids("")).toEqual([two, one]);
    expect(await ids("&locked=true")).toEqual([one]);
    expect(await ids("&locked=false")).toEqual([two]);
    expect(await ids("&blocked=true")).toEqual([two]);
    const refused = await at.call(`DELETE ${path}/${one}`);
    expect(refused).toMatchObject({ status: 423, body: { ID: lock.ID } });
    await at.call(unlockPath(one), { body: lock });
    const deleted = await at.call(`DELETE ${path}/${one}`);
    expect(deleted).toMatchObject({ status: 200, body: { id: one, deleted_at: null } });
    expect(await ids("")).toEqual([two]);
    for (const what of [`GET ${path}/${one}`, lockPath(one), `GET ${backendPath(one)}`]) {
      const gone = await at.call(what, { ...(what.startsWith("POST") && { body: lock }) });
      expect(gone).toMatchObject({ status: 404, body: { code: "workspace_not_found" } });
    }
  });

  test("of another org is not there", async () => {
    const id = await givenWorkspace(at);
    const token = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    for (const what of [
      `GET /v1/terraform-workspaces/${id}`,
      `GET /v1/terraform-workspaces/${id}/states`,
      `GET ${backendPath(id)}`,
      lockPath(id),
      `DELETE /v1/terraform-workspaces/${id}`,
    ]) {
      const body = what.startsWith("POST") ? terraformLock() : undefined;
      expect((await at.call(what, { token, body })).status).toBe(404);
    }
  });
});
