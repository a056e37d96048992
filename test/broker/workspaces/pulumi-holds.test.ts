import { beforeAll, describe, expect, test } from "vitest";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import {
  backendPath,
  type GivenStateJob,
  givenStateJob,
  givenWorkspace,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const stream = { "content-type": "application/octet-stream" };
const pathOf = (id: string): string => `/v1/runners/pulumi-state/${id}`;
const workspaceOf = (id: string): string => `/v1/terraform-workspaces/${id}`;

/** A job of Pulumi that names this workspace and is claimed. */
const claimed = (id: string, operation = "apply-plan"): Promise<GivenStateJob> =>
  givenStateJob(at, id, {
    plan: { pulumi: { workspace_id: id } },
    job: { type: "pulumi-deploy", operation },
  });

const write = (id: string, token: string, body: string, headers: object = {}) =>
  at.call<{ code: string }>(`POST ${pathOf(id)}`, {
    token,
    body,
    headers: { ...stream, ...headers },
  });

const rescuedOf = async (id: string) =>
  (
    await at.call<{ runner_job_id: string; serial: null }[]>(
      `GET ${workspaceOf(id)}/rescued-states`,
    )
  ).body;

async function end({ jobId }: GivenStateJob): Promise<void> {
  expect((await at.call(`POST /v1/runner-jobs/${jobId}/cancel`)).status).toBe(202);
  await at.db`delete from stopping_executions where runner_job_id = ${jobId}`; // as its process would have said
}

describe("a workspace of Pulumi", () => {
  test("is held for the job that was claimed first, and another's state is kept aside", async () => {
    const id = await givenWorkspace(at);
    const [first, second] = [await claimed(id), await claimed(id)];
    expect((await write(id, first.token, "one")).status).toBe(200);
    const refused = await write(id, second.token, "two");
    expect(refused).toMatchObject({ status: 409, body: { code: "workspace_held_by_job" } });
    expect(refused.body).toMatchObject({ runner_job_id: first.jobId });
    expect(await rescuedOf(id)).toMatchObject([{ runner_job_id: second.jobId, serial: null }]);
    expect((await write(id, at.token, "by hand")).body.code).toMatch(/workspace_(?:blocked|held)/);
    expect((await at.call(`GET ${pathOf(id)}`, { token: second.token })).body).toBe("one");
  });

  test("is the next job's once the first has ended and stopped", async () => {
    const id = await givenWorkspace(at);
    const [first, second] = [await claimed(id), await claimed(id)];
    await at.call(`PATCH /v1/runner-jobs/${first.jobId}/executions/${first.executionId}`, {
      token: first.runnerToken,
      body: { status: "in-progress" },
    });
    const cancelled = await at.call(`POST /v1/runner-jobs/${first.jobId}/cancel`);
    expect(cancelled.status).toBe(202);
    const lock = (job: GivenStateJob) =>
      at.call(`POST ${workspaceOf(id)}/lock`, { token: job.token, body: terraformLock() });
    expect(await lock(second)).toMatchObject({ status: 423, body: { Who: first.jobId } });
    expect((await write(id, first.token, "its last")).status).toBe(200); // it is stopping
    await at.db`delete from stopping_executions where runner_job_id = ${first.jobId}`;
    expect((await lock(second)).status).toBe(200);
    expect((await write(id, second.token, "two")).status).toBe(200);
    expect((await write(id, first.token, "late")).status).toBe(409);
  });

  test("is held by no job that only plans", async () => {
    const id = await givenWorkspace(at);
    await claimed(id, "create-apply-plan");
    const applying = await claimed(id);
    expect((await write(id, applying.token, "one")).status).toBe(200);
  });

  test("takes a state only on the revision that it was made from, or on the job's own", async () => {
    const id = await givenWorkspace(at);
    const open = async (token: string) =>
      (await at.call<{ revision: number }>(`POST ${pathOf(id)}/open`, { token })).body.revision;
    const first = await claimed(id);
    expect(await open(first.token)).toBe(0);
    const none = { "if-match": '"0"' };
    for (const body of ["one", "two", "two"])
      expect((await write(id, first.token, body, none)).status).toBe(200);
    const read = await fetch(at.broker.url + pathOf(id), {
      headers: { authorization: `Bearer ${first.token}` },
    });
    expect([read.headers.get("etag"), await read.text()]).toEqual(['"2"', "two"]);
    await end(first);
    const second = await claimed(id);
    const stale = await write(id, second.token, "three", none);
    expect(stale).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    expect(await rescuedOf(id)).toMatchObject([{ runner_job_id: second.jobId }]);
    expect(await open(second.token)).toBe(2);
  });

  test("is pushed a state that was kept aside", async () => {
    const id = await givenWorkspace(at);
    const [first, second] = [await claimed(id), await claimed(id)];
    await write(id, first.token, "one");
    await write(id, second.token, "two");
    await end(first);
    await end(second);
    const [kept] = (await rescuedOf(id)) as unknown as { id: string }[];
    const pushed = await at.call(`POST ${workspaceOf(id)}/rescued-states/${kept?.id}/push`, {
      body: { reason: "looked" },
    });
    expect(pushed.status).toBe(200);
    expect((await at.call(`GET ${pathOf(id)}`)).body).toBe("two");
    expect((await write(id, at.token, "three")).status).toBe(200);
  });
});

describe("the passphrase of a workspace", () => {
  test("is made once, is sealed, and is each workspace's own", async () => {
    const [id, other] = [await givenWorkspace(at), await givenWorkspace(at)];
    const job = await claimed(id);
    const open = (of: string, token: string) =>
      at.call<{ passphrase: string }>(`POST ${pathOf(of)}/open`, { token });
    const all = await Promise.all([1, 2, 3].map(async () => await open(id, job.token)));
    const [passphrase] = all.map(({ body }) => body.passphrase);
    expect(all.every(({ body }) => body.passphrase === passphrase)).toBe(true);
    expect(passphrase).toMatch(/^[\w-]{43}$/);
    expect((await open(other, at.token)).body.passphrase).not.toBe(passphrase);
    expect((await open(other, job.token)).status).toBe(404);
    const terraform = await givenStateJob(at, id);
    expect((await open(id, terraform.token)).status).toBe(404);
    const [row] = await at.db<{ contents: Buffer; key_id: string | null }[]>`
      select contents, key_id from pulumi_passphrases where workspace_id = ${id}`;
    expect(row?.contents.includes(String(passphrase))).toBe(row?.key_id === null);
    expect((await at.call(`GET ${backendPath(id)}`, { token: job.token })).status).toBe(204);
  });
});
