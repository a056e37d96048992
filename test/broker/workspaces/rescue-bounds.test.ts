import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import type { RescuedState } from "../../../shared/api/rescued-states.ts";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { type TestDatabase, testDatabase } from "../../support/database/database.ts";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
} from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  at = await givenOperator("org_admin", database);
});

/** A job whose workspace takes the states that it could not write. */
async function setup(workspaceId?: string, by = at) {
  const id = workspaceId ?? (await givenWorkspace(by));
  const job = await givenStateJob(by, id, { job: { operation: "apply-plan" } });
  const list = `/v1/terraform-workspaces/${id}/rescued-states`;
  const path = `${list}?job_id=${job.jobId}`;
  const headers = { "content-type": "application/octet-stream" };
  const rescue = (body: string, broker: Pick<TestBroker, "call"> = by.broker) =>
    broker.call<RescuedState>(`POST ${path}`, { token: job.token, body, headers });
  return { id, job, list, path, rescue };
}

describe("a state that is being rescued", () => {
  test("holds no permit while its bytes come: the only one serves others of its token", async () => {
    const small = await startBroker({ url: database.url, env: { SVC_POOL_SIZE: "3" } });
    const { id, job, path, rescue } = await setup();
    const slow = begin(small.url, path, job.token);
    const uploads = async () => {
      const { body } = await small.call<string>("GET /metrics");
      return Number(/^svc_bodies_bytes\{of="in"\} (\d+)$/m.exec(body)?.[1]);
    };
    await expect.poll(uploads).toBeGreaterThan(0);
    const read = await small.call(`GET ${backendPath(id)}`, { token: job.token });
    expect(read.status).toBe(204);
    expect((await rescue(stateText({ serial: 2 }), small)).status).toBe(201);
    slow.destroy();
    await expect.poll(uploads).toBe(0);
  });
});

describe("rescued states that wait", () => {
  /** Makes one that waits as large as it has to be. */
  async function grow(id: string | undefined, mib: number): Promise<void> {
    await at.db`
      update terraform_rescued_states set size_bytes = ${mib * 1024 ** 2} where id = ${id ?? ""}`;
  }
  const refusal = { status: 409, body: { code: "too_many_rescued_bytes" } };

  test("of one job have a bound of bytes; another's are kept, and none is taken away", async () => {
    const { id, rescue } = await setup();
    const first = await rescue(stateText({ serial: 1 }));
    await grow(first.body.id, 256);
    const refused = await rescue(stateText({ serial: 2 }));
    expect(refused).toMatchObject(refusal);
    expect(JSON.stringify(refused.body)).toContain("this job may take 256 MiB");
    expect((await rescue(stateText({ serial: 1 }))).body.id).toBe(first.body.id);
    const other = await setup(id);
    expect((await other.rescue(stateText({ serial: 2 }))).status).toBe(201);
    const { body: waiting } = await at.call<RescuedState[]>(`GET ${other.list}`);
    expect(waiting.map(({ serial }) => serial)).toEqual([2, 1]);
    const uploads = await at.db`select 1 from terraform_state_uploads`;
    expect(uploads).toEqual([]);
  });

  test("for one workspace have a bound of bytes, whichever jobs are theirs", async () => {
    const { id, rescue } = await setup();
    const { body: first } = await rescue(stateText({ serial: 1 }));
    await grow(first.id, 1024);
    const other = await setup(id);
    const refused = await other.rescue(stateText({ serial: 2 }));
    expect(refused).toMatchObject(refusal);
    expect(JSON.stringify(refused.body)).toContain("this workspace may take 1024 MiB");
    await at.call(`DELETE ${other.list}/${first.id}?reason=older`);
    expect((await other.rescue(stateText({ serial: 2 }))).status).toBe(201);
  });

  test("of one org have the bound that is set, whichever workspaces are theirs", async () => {
    const bounded = await givenOperator("org_admin", {
      ...database,
      env: { SVC_RESCUED_STATES_ORG_MIB: "1" },
    });
    const [one, other] = [await setup(undefined, bounded), await setup(undefined, bounded)];
    const { body: first } = await one.rescue(stateText({ serial: 1 }));
    await grow(first.id, 1);
    const refused = await other.rescue(stateText({ serial: 1 }));
    expect(refused).toMatchObject(refusal);
    expect(JSON.stringify(refused.body)).toContain("SVC_RESCUED_STATES_ORG_MIB");
    expect((await (await setup()).rescue(stateText({ serial: 1 }))).status).toBe(201);
  });
});

/** A state that is announced, and never comes whole. */
function begin(broker: string, path: string, token: string): Socket {
  const { hostname, port } = new URL(broker);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {}); // it is broken off in the end
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/octet-stream\r\ncontent-length: 1500000\r\n\r\n{`,
  );
  return socket;
}
