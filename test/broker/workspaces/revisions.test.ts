import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type {
  StateDiff,
  StateOutput,
  StateResource,
} from "../../../shared/api/terraform-revisions.ts";
import type { Workspace } from "../../../shared/api/terraform-workspaces.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { contentMd5, givenWorkspace, stateText } from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

describe("a large state", () => {
  test("of many parts comes back whole, and a rollback puts its serial in its place", async () => {
    const held = await holdWorkspace(at);
    const padding = Array.from({ length: 60_000 }, () => crypto.randomUUID()).join("");
    const text = stateText({ serial: 1, padding });
    expect((await held.write(text, contentMd5(text))).status).toBe(200);
    const read = await held.read();
    expect(read.text === text).toBe(true);
    await held.write(stateText({ serial: 2 }));
    await held.unlock();
    const body = { revision: 1, reason: "the second was wrong" };
    const answer = await at.call<Workspace>(`POST /v1/terraform-workspaces/${held.id}/rollback`, {
      body,
    });
    expect(answer.body.state).toMatchObject({ revision: 3, serial: 3, rolled_back_from: 1 });
    const rolledBack = (await held.read()).text;
    expect(rolledBack === text.replace('"serial": 1', '"serial": 3')).toBe(true);
    const resources = await at.call<StateResource[]>(
      `GET /v1/terraform-workspaces/${held.id}/states/current/resources`,
    );
    expect(resources.body[0]?.instances[0]?.attributes).toMatchObject({ padding, id: "r-1" });
    const [{ parts } = { parts: 0 }] = await at.db<{ parts: number }[]>`
      select count(*)::int as parts from terraform_state_uploads`;
    expect(parts).toBe(0);
  });

  test("that is refused leaves nothing behind", async () => {
    const held = await holdWorkspace(at);
    await held.write(stateText({ serial: 5 }));
    const before = await countParts();
    const padding = Array.from({ length: 60_000 }, () => crypto.randomUUID()).join("");
    const refused = await held.write(stateText({ serial: 1, padding }));
    expect(refused.status).toBe(409);
    expect(await countParts()).toBe(before);
  });
});

async function countParts(): Promise<number> {
  const [row] = await at.db<{ n: number }[]>`select count(*)::int as n from terraform_state_parts`;
  return row?.n ?? -1;
}

describe("a rollback", () => {
  test("is refused while somebody holds the lock, for the current revision and for none", async () => {
    const held = await holdWorkspace(at);
    await held.write(stateText({ serial: 1 }));
    await held.write(stateText({ serial: 2 }));
    const rollBack = (revision: number) =>
      at.call(`POST /v1/terraform-workspaces/${held.id}/rollback`, {
        body: { revision, reason: "why" },
      });
    expect(await rollBack(1)).toMatchObject({ status: 423, body: { ID: held.lockId } });
    await held.unlock();
    expect(await rollBack(2)).toMatchObject({ status: 409, body: { code: "state_is_current" } });
    expect(await rollBack(3)).toMatchObject({ status: 404, body: { code: "state_not_found" } });
    expect((await rollBack(1)).status).toBe(200);
    const events = await at.call<object[]>(`GET /v1/terraform-workspaces/${held.id}/events`);
    expect(events.body[0]).toMatchObject({
      kind: "rolled-back",
      reason: "why",
      info: { from: 1, revision: 3 },
    });
  });
});

describe("what a state holds", () => {
  test("is shown without what is sensitive", async () => {
    const held = await holdWorkspace(at);
    await held.write(stateText({ serial: 1, secret: "hunter2" }));
    const path = `/v1/terraform-workspaces/${held.id}/states/1`;
    const resources = await at.call<StateResource[]>(`GET ${path}/resources`);
    expect(resources.body).toMatchObject([
      {
        address: "terraform_data.one",
        mode: "managed",
        instances: [
          { attributes: { id: "r-1", input: "(sensitive)" }, sensitive_attributes: ["input"] },
        ],
      },
    ]);
    const outputs = await at.call<StateOutput[]>(`GET ${path}/outputs`);
    expect(outputs.body).toMatchObject([
      { name: "secret", sensitive: true },
      { name: "url", sensitive: false, value: "https://example.com/1" },
    ]);
    expect(JSON.stringify([resources.body, outputs.body])).not.toContain("hunter2");
  });

  test("is compared between two revisions, the last two unless told", async () => {
    const held = await holdWorkspace(at);
    await held.write(stateText({ serial: 1, secret: "hunter2" }));
    await held.write(stateText({ serial: 2, secret: "hunter3" }));
    await held.write('{"serial":3,"lineage":"8d7b0f3a-lineage","resources":[]}');
    const diff = async (query: string) =>
      (await at.call<StateDiff>(`GET /v1/terraform-workspaces/${held.id}/diff${query}`)).body;
    const changed = await diff("?from=1&to=2");
    expect(changed.resources).toEqual([
      {
        address: "terraform_data.one",
        change: "changed",
        attributes: [{ name: "id", before: "r-1", after: "r-2" }],
      },
    ]);
    expect(changed.outputs).toMatchObject([{ name: "url", change: "changed" }]);
    expect(JSON.stringify(changed)).not.toContain("hunter");
    const removed = await diff("");
    expect(removed.resources).toMatchObject([{ address: "terraform_data.one", change: "removed" }]);
    expect(removed.outputs.map(({ change }) => change)).toEqual(["removed", "removed"]);
  });

  test("in terraform's own JSON is kept, sent raw or as a string of base64", async () => {
    const held = await holdWorkspace(at);
    const path = `/v1/terraform-workspaces/${held.id}/state-json`;
    expect((await at.call(`GET ${path}`)).status).toBe(204);
    const json = '{"format_version":"1.0","values":{"secret":"hunter2"}}';
    const sent = [json, JSON.stringify(Buffer.from(json.repeat(1)).toString("base64"))];
    for (const body of sent) {
      expect((await at.call(`POST ${path}`, { body })).status).toBe(200);
      expect((await at.call(`GET ${path}`)).body).toEqual(JSON.parse(json));
    }
    for (const body of ["nonsense", '"bm9uc2Vuc2U="', '"*"', ""]) {
      expect((await at.call(`POST ${path}`, { body })).status).toBe(400);
    }
    expect((await at.call(`GET ${path}`)).body).toEqual(JSON.parse(json));
  });

  test("of Pulumi is any bytes, each write a revision", async () => {
    const id = await givenWorkspace(at);
    const path = `/v1/runners/pulumi-state/${id}`;
    expect((await at.call(`GET ${path}`)).status).toBe(204);
    const headers = { "content-type": "application/octet-stream" };
    for (const body of ["one", "two", "two"]) {
      expect((await at.call(`POST ${path}`, { body, headers })).status).toBe(200);
    }
    expect((await at.call(`GET ${path}`)).body).toBe("two");
    const page = await at.call<{ items: object[] }>(`GET /v1/terraform-workspaces/${id}/states`);
    expect(page.body.items).toHaveLength(2);
    const refused = await at.call(`GET /v1/terraform-workspaces/${id}/states/current/resources`);
    expect(refused).toMatchObject({ status: 409, body: { code: "state_not_terraform" } });
  });
});

describe("a revision", () => {
  test("is compared with the one before that is kept, and is told when there is none", async () => {
    const held = await holdWorkspace(at);
    for (const serial of [1, 2, 3]) await held.write(stateText({ serial }));
    await at.db`
      delete from terraform_workspace_states where workspace_id = ${held.id} and revision = 2`;
    const path = `GET /v1/terraform-workspaces/${held.id}/diff`;
    const diff = await at.call<StateDiff>(path);
    expect(diff.body).toMatchObject({ from: { revision: 1 }, to: { revision: 3 } });
    expect(await at.call(`${path}?to=1`)).toMatchObject({
      status: 404,
      body: {
        code: "state_not_found",
        detail: expect.stringContaining("Revision 1 has no earlier") as string,
      },
    });
  });

  test("is no larger than the database counts", async () => {
    const held = await holdWorkspace(at);
    await held.write(stateText({ serial: 1 }));
    await held.unlock();
    const path = `/v1/terraform-workspaces/${held.id}`;
    for (const revision of [2_147_483_648, 99_999_999_999]) {
      for (const query of [`from=${revision}`, `to=${revision}`]) {
        const pointer = `?${query.split("=")[0]}`;
        const refused = await at.call(`GET ${path}/diff?${query}`);
        expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
      }
      const body = { revision, reason: "why" };
      const refused = await at.call(`POST ${path}/rollback`, { body });
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/revision" }] } });
    }
  });
});

test("the JSON of a state is read to its end although another takes its place meanwhile", async () => {
  const id = await givenWorkspace(at);
  const url = `${at.broker.url}/v1/terraform-workspaces/${id}/state-json`;
  const headers = { authorization: `Bearer ${at.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ v: randomBytes(20_000_000).toString("base64") });
  expect((await fetch(url, { method: "POST", headers, body })).status).toBe(200);
  let read = 0;
  const answer = await fetch(url, { headers });
  for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
    if (read === 0) await fetch(url, { method: "POST", headers, body: '{"v":2}' });
    read += piece.length;
  }
  expect(read).toBe(body.length);
  expect(await (await fetch(url, { headers })).text()).toBe('{"v":2}');
});

test("a state whose part is broken is cut off, which is logged", async () => {
  const held = await holdWorkspace(at);
  const padding = Array.from({ length: 60_000 }, () => crypto.randomUUID()).join("");
  await held.write(stateText({ serial: 1, padding }));
  await at.db`
    update terraform_state_parts set body = '\\x00' where n = 1
       and object_id = (select state_id from terraform_workspaces where id = ${held.id})`;
  await expect(held.read()).rejects.toThrow();
  const told = () => at.broker.logged.filter((line) => line.includes("an answer was cut off"));
  await expect.poll(told).toHaveLength(1);
});
