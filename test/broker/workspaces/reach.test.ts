import { beforeAll, describe, expect, test } from "vitest";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
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

const basic = (password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`svc:${password}`).toString("base64")}`,
});

describe("a job's token", () => {
  test("reaches the workspace that its plan names, and no other", async () => {
    const [own, other] = [await givenWorkspace(at), await givenWorkspace(at)];
    const { token } = await givenStateJob(at, own);
    const neighbour = await givenStateJob(at, other);
    const statuses = async (id: string, by: string): Promise<number[]> => {
      const body = terraformLock();
      const paths = [
        `GET ${backendPath(id)}`,
        `POST /v1/terraform-workspaces/${id}/lock`,
        `POST ${backendPath(id, body.ID)}`,
        `POST /v1/terraform-workspaces/${id}/state-json`,
        `DELETE ${backendPath(id, body.ID)}`,
        `POST /v1/terraform-workspaces/${id}/unlock?ID=${body.ID}`,
      ];
      const answers: number[] = [];
      for (const path of paths) {
        const isState = path.includes("backend") || path.includes("json");
        const sent = isState ? stateText({ serial: 1 }) : body;
        const answer = await at.call(path, {
          token: by,
          ...(path.startsWith("POST") && { body: sent }),
        });
        answers.push(answer.status);
      }
      return answers;
    };
    expect(await statuses(other, token)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(await statuses(own, neighbour.token)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(await statuses(own, token)).toEqual([204, 200, 200, 200, 200, 200]);
  });

  test("that only mentions a workspace somewhere in its plan does not reach it", async () => {
    const id = await givenWorkspace(at);
    const plan = { terraform: { vars: { note: id }, terraform_backend: { WorkspaceID: "tfw_1" } } };
    const { token, runnerToken } = await givenStateJob(at, id, { plan });
    for (const by of [token, runnerToken]) {
      expect((await at.call(`GET ${backendPath(id)}`, { token: by })).status).toBe(404);
    }
  });

  test("reads no revision, manages nothing, and lists nothing", async () => {
    const id = await givenWorkspace(at);
    const { token } = await givenStateJob(at, id);
    const path = `/v1/terraform-workspaces/${id}`;
    for (const what of [
      "GET /v1/terraform-workspaces",
      `GET ${path}`,
      `GET ${path}/states`,
      `GET ${path}/states/1/contents`,
      `GET ${path}/state-json`,
      `DELETE ${path}`,
    ]) {
      expect({ what, status: (await at.call(what, { token })).status }).toEqual({
        what,
        status: 403,
      });
    }
  });

  test("saves the state for ten minutes after its execution ended, and then no more", async () => {
    const own = await givenOperator();
    const { db, call } = own;
    const id = await givenWorkspace(own);
    const job = await givenStateJob(own, id);
    const { token, runnerToken } = job;
    const lock = terraformLock();
    await call(`POST /v1/terraform-workspaces/${id}/lock`, { token, body: lock });
    await stopClock(db); // nothing that the broker's loops do is meant here
    await call(`POST /v1/runner-jobs/${job.jobId}/cancel`);
    const stopped = { process_id: job.processId, executions: [] };
    const beat = { token: runnerToken, body: stopped };
    expect((await call(`POST /v1/runners/${job.runnerId}/heart-beats`, beat)).status).toBe(201);
    await advanceClock(db, "9 minutes 59.999 seconds");
    for (const [serial, by] of [token, runnerToken].entries()) {
      const body = stateText({ serial });
      const saved = await call(`POST ${backendPath(id, lock.ID)}`, { token: by, body });
      expect(saved.status).toBe(200);
    }
    await advanceClock(db, "0.001 seconds");
    own.broker.broker.authenticator.forgetAll();
    const body = stateText({ serial: 9 });
    const late = async (by: string) =>
      (await call(`POST ${backendPath(id, lock.ID)}`, { token: by, body })).status;
    expect([await late(token), await late(runnerToken)]).toEqual([401, 404]);
    const current = await call<{ serial: number }>(`GET ${backendPath(id)}`);
    expect(current.body.serial).toBe(1);
  });
});

describe("a runner's token", () => {
  test("reaches what the plans of its own running jobs name, by the job's id or without", async () => {
    const [id, other] = [await givenWorkspace(at), await givenWorkspace(at)];
    const job = await givenStateJob(at, id);
    const stranger = await givenStateJob(at, other);
    const token = job.runnerToken;
    const read = (one: string, query = "") => at.call(`GET ${backendPath(one)}${query}`, { token });
    expect((await read(id)).status).toBe(204);
    expect((await read(id, `&job_id=${job.jobId}`)).status).toBe(204);
    expect((await read(id, `&job_id=${stranger.jobId}`)).status).toBe(404);
    expect((await read(other)).status).toBe(404);
    expect((await read(other, `&job_id=${stranger.jobId}`)).status).toBe(404);
  });

  test("reaches nothing of a job that waits, and takes no lock for one that ended", async () => {
    const id = await givenWorkspace(at);
    const runner = await at.createRunner();
    const token = await givenToken(at.db, { orgId: at.orgId, runnerId: runner.id });
    const plan = { terraform: { terraform_backend: { WorkspaceID: id } } };
    const body = { type: "terraform-deploy", operation: "exec", plan };
    await at.call(`POST /v1/runners/${runner.id}/jobs`, { body });
    expect((await at.call(`GET ${backendPath(id)}`, { token })).status).toBe(404);
    const job = await givenStateJob(at, id);
    await at.call(`POST /v1/runner-jobs/${job.jobId}/cancel`);
    const late = await at.call(`POST /v1/terraform-workspaces/${id}/lock`, {
      token: job.runnerToken,
      body: terraformLock(),
    });
    expect(late).toMatchObject({ status: 409, body: { code: "execution_ended" } });
  });
});

describe("a token on the state routes", () => {
  test("may be the password of Basic, or in the query, and is never logged", async () => {
    const id = await givenWorkspace(at);
    const { token } = await givenStateJob(at, id);
    const path = `GET ${backendPath(id)}`;
    expect((await at.broker.call(path, { headers: basic(token) })).status).toBe(204);
    expect((await at.broker.call(`${path}&token=${token}`)).status).toBe(204);
    expect((await at.broker.call(`${path}&token=${token}x`)).status).toBe(401);
    expect((await at.broker.call(path, { headers: basic("wrong") })).status).toBe(401);
    expect((await at.broker.call(path)).status).toBe(401);
    const logged = at.broker.logged.join("\n");
    expect(logged).not.toContain(token);
    expect(logged).not.toContain("Basic");
  });

  test("is a bearer's only everywhere else", async () => {
    const path = "GET /v1/terraform-workspaces";
    expect((await at.broker.call(path, { headers: basic(at.token) })).status).toBe(401);
    expect((await at.broker.call(`${path}?token=${at.token}`)).status).toBe(401);
  });
});

test("state holds secrets: who may only read is shown no bytes of it", async () => {
  const id = await givenWorkspace(at);
  const reader = await givenToken(at.db, { orgId: at.orgId, role: "org_read_only" });
  const lock = terraformLock();
  await at.call(`POST /v1/terraform-workspaces/${id}/lock`, { body: lock });
  await at.call(`POST ${backendPath(id, lock.ID)}`, { body: stateText({ serial: 1 }) });
  const path = `/v1/terraform-workspaces/${id}`;
  const ask = async (what: string) => (await at.call(what, { token: reader })).status;
  for (const what of [`GET ${path}`, `GET ${path}/states/1`, `GET ${path}/states/1/resources`]) {
    expect({ what, status: await ask(what) }).toEqual({ what, status: 200 });
  }
  for (const what of [
    `GET ${backendPath(id)}`,
    `GET ${path}/states/1/contents`,
    `GET ${path}/state-json`,
    `POST ${path}/lock`,
    `POST ${path}/unlock`,
  ]) {
    expect({ what, status: await ask(what) }).toEqual({ what, status: 403 });
  }
});

test("a job reads who holds its own workspace, and no other's", async () => {
  const [id, other] = [await givenWorkspace(at), await givenWorkspace(at)];
  const { token } = await givenStateJob(at, id);
  const lock = terraformLock();
  for (const one of [id, other]) {
    await at.call(`POST /v1/terraform-workspaces/${one}/lock`, { body: lock });
  }
  const read = await at.call(`GET /v1/terraform-workspaces/${id}/lock`, { token });
  expect(read).toMatchObject({ status: 200, body: { lock: { id: lock.ID, who: lock.Who } } });
  const refused = await at.call(`GET /v1/terraform-workspaces/${other}/lock`, { token });
  expect(refused.status).toBe(404);
});
