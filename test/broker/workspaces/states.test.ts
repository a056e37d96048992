import { beforeAll, describe, expect, test } from "vitest";
import type {
  StateDiff,
  StateOutput,
  StateResource,
} from "../../../shared/api/terraform-revisions.ts";
import type { Workspace, WorkspaceState } from "../../../shared/api/terraform-workspaces.ts";
import { type GivenOperator, givenOperator } from "../../support/given-operator.ts";
import {
  backendPath,
  contentMd5,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

type Held = { readonly id: string; readonly lockId: string };

/** A workspace that the operator holds. */
async function givenHeld(): Promise<Held> {
  const id = await givenWorkspace(at);
  const lock = terraformLock();
  await at.call(`POST /v1/terraform-workspaces/${id}/lock`, { body: lock });
  return { id, lockId: lock.ID };
}

const write = (held: Held, body: string, headers: Record<string, string> = {}) =>
  at.call(`POST ${backendPath(held.id, held.lockId)}`, { body, headers });

async function readText(id: string): Promise<{ status: number; text: string; md5: string | null }> {
  const authorization = `Bearer ${at.token}`;
  const response = await fetch(at.broker.url + backendPath(id), { headers: { authorization } });
  const md5 = response.headers.get("content-md5");
  return { status: response.status, text: await response.text(), md5 };
}

async function revisions(id: string): Promise<WorkspaceState[]> {
  type Page = { items: WorkspaceState[] };
  return (await at.call<Page>(`GET /v1/terraform-workspaces/${id}/states`)).body.items;
}

describe("a state", () => {
  test("is 204 before the first, then what was written, byte for byte", async () => {
    const held = await givenHeld();
    expect(await readText(held.id)).toEqual({ status: 204, text: "", md5: null });
    const text = stateText({ serial: 1, padding: "ünïcödé \\u0000 \\ud800" });
    expect((await write(held, text, contentMd5(text))).status).toBe(200);
    expect(await readText(held.id)).toEqual({
      status: 200,
      text,
      md5: contentMd5(text)["content-md5"],
    });
    const [state] = await revisions(held.id);
    expect(state).toMatchObject({
      revision: 1,
      serial: 1,
      lineage: "8d7b0f3a-lineage",
      terraform_version: "1.11.4",
      size_bytes: Buffer.byteLength(text),
      is_current: true,
    });
  });

  test("is a new revision each time, and the old ones stay", async () => {
    const held = await givenHeld();
    const texts = [1, 2, 7].map((serial) => stateText({ serial }));
    for (const text of texts) expect((await write(held, text)).status).toBe(200);
    const kept = await revisions(held.id);
    expect(kept.map(({ revision, serial }) => [revision, serial])).toEqual([
      [3, 7],
      [2, 2],
      [1, 1],
    ]);
    for (const [n, text] of texts.entries()) {
      const path = `GET /v1/terraform-workspaces/${held.id}/states/${n + 1}/contents`;
      expect((await at.call(path)).body).toEqual(JSON.parse(text));
    }
    const first = kept.at(-1)?.id ?? "";
    const one = await at.call<WorkspaceState>(
      `GET /v1/terraform-workspaces/${held.id}/states/${first}`,
    );
    expect(one.body).toMatchObject({ revision: 1, is_current: false });
  });

  test("that comes again changes nothing, even when its answer was lost", async () => {
    const held = await givenHeld();
    const text = stateText({ serial: 3 });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => write(held, text)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await revisions(held.id)).toHaveLength(1);
  });

  test.each([
    ["an older serial", { serial: 4 }, "state_serial_older"],
    ["the same serial with other bytes", { serial: 5, secret: "other" }, "state_serial_taken"],
    ["another lineage", { serial: 6, lineage: "another" }, "state_lineage_differs"],
  ])("with %s is refused, and nothing changes", async (_, state, code) => {
    const held = await givenHeld();
    const text = stateText({ serial: 5 });
    await write(held, text);
    const refused = await write(held, stateText(state));
    expect(refused).toMatchObject({ status: 409, body: { code, user_error: true } });
    expect((await readText(held.id)).text).toBe(text);
    expect(await revisions(held.id)).toHaveLength(1);
  });

  test("without serial or lineage is compared by its bytes only", async () => {
    const held = await givenHeld();
    expect((await write(held, stateText({ serial: 5 }))).status).toBe(200);
    expect((await write(held, '{"version":4,"lineage":""}')).status).toBe(200);
    expect((await write(held, '{"version":4,"lineage":""}')).status).toBe(200);
    expect((await write(held, stateText({ serial: 1, lineage: "new" }))).status).toBe(200);
    expect(await revisions(held.id)).toHaveLength(3);
  });

  test.each([
    ["nothing", "", "malformed_json"],
    ["text", "hello", "malformed_json"],
    ["an array", "[]", "malformed_json"],
    ["half of itself", stateText({ serial: 1 }).slice(0, 200), "malformed_json"],
    ["itself twice", stateText({ serial: 1 }).repeat(2), "malformed_json"],
    ["a bare NUL in a string", '{"serial":1,"a":"\0"}', "malformed_json"],
    ["a wrong escape", '{"serial":1,"a":"\\x"}', "malformed_json"],
    ["a wrong number", '{"serial":01}', "malformed_json"],
    ["a wrong word", '{"serial":1,"a":nul}', "malformed_json"],
    ["a comma too many", '{"serial":1,}', "malformed_json"],
    ["brackets that cross", '{"a":[1}]', "malformed_json"],
    ["ten thousand brackets", `{"a":${"[".repeat(10_000)}`, "too_deep"],
  ])("that is %s is refused", async (_, text, code) => {
    const held = await givenHeld();
    expect(await write(held, text)).toMatchObject({ status: 400, body: { code } });
    expect((await readText(held.id)).status).toBe(204);
  });

  test.each(['"7"', "-1", "1.5", "1e400", "null", "99999999999999999999"])(
    "with the serial %s is refused",
    async (serial) => {
      const held = await givenHeld();
      const answer = await write(held, `{"serial":${serial},"lineage":"a"}`);
      const known = serial === '"7"' || serial === "null" ? [200, 422] : [422];
      expect(known).toContain(answer.status);
    },
  );

  test("whose Content-MD5 is of another body is refused", async () => {
    const held = await givenHeld();
    const text = stateText({ serial: 1 });
    for (const headers of [contentMd5("other"), { "content-md5": "nonsense" }]) {
      const refused = await write(held, text, headers);
      expect(refused).toMatchObject({ status: 400, body: { code: "content_md5_differs" } });
    }
    expect(await revisions(held.id)).toEqual([]);
  });

  test("over 64 MiB is refused before it is read", async () => {
    const held = await givenHeld();
    const refused = await write(held, "x".repeat(64 * 1024 * 1024 + 1));
    expect(refused).toMatchObject({ status: 413, body: { code: "body_too_large" } });
  });

  test("needs the lock's id: 423 with the holder, 409 when nothing is locked", async () => {
    const held = await givenHeld();
    const body = stateText({ serial: 1 });
    for (const path of [backendPath(held.id), backendPath(held.id, "another")]) {
      const refused = await at.call(`POST ${path}`, { body });
      expect(refused).toMatchObject({ status: 423, body: { ID: held.lockId, Who: "ci@runner" } });
    }
    await at.call(`POST /v1/terraform-workspaces/${held.id}/unlock?ID=${held.lockId}`);
    const refused = await write(held, body);
    expect(refused).toMatchObject({ status: 409, body: { code: "workspace_not_locked" } });
    expect((await readText(held.id)).status).toBe(204);
  });

  test("needs no lock of a job in sandbox mode, but not while somebody else holds it", async () => {
    const id = await givenWorkspace(at);
    const plan = {
      terraform: { terraform_backend: { WorkspaceID: id } },
      sandbox_mode: { enabled: true },
    };
    const { token } = await givenStateJob(at, id, { plan });
    const body = stateText({ serial: 1 });
    expect((await at.call(`POST ${backendPath(id)}`, { token, body })).status).toBe(200);
    const lock = terraformLock();
    await at.call(`POST /v1/terraform-workspaces/${id}/lock`, { body: lock });
    const next = stateText({ serial: 2 });
    const refused = await at.call(`POST ${backendPath(id)}`, { token, body: next });
    expect(refused).toMatchObject({ status: 423, body: { ID: lock.ID } });
  });

  test("is deleted under the lock, or without any; its revisions stay and another may begin", async () => {
    const held = await givenHeld();
    await write(held, stateText({ serial: 5 }));
    expect((await at.call(`DELETE ${backendPath(held.id)}`)).status).toBe(423);
    expect((await at.call(`DELETE ${backendPath(held.id, held.lockId)}`)).status).toBe(200);
    expect((await readText(held.id)).status).toBe(204);
    expect((await write(held, stateText({ serial: 1, lineage: "new" }))).status).toBe(200);
    expect((await revisions(held.id)).map(({ revision }) => revision)).toEqual([2, 1]);
  });
});

describe("a large state", () => {
  test("of many parts comes back whole, and a rollback puts its serial in its place", async () => {
    const held = await givenHeld();
    const padding = Array.from({ length: 60_000 }, () => crypto.randomUUID()).join("");
    const text = stateText({ serial: 1, padding });
    expect((await write(held, text, contentMd5(text))).status).toBe(200);
    const read = await readText(held.id);
    expect(read.text === text).toBe(true);
    await write(held, stateText({ serial: 2 }));
    await at.call(`POST /v1/terraform-workspaces/${held.id}/unlock?ID=${held.lockId}`);
    const body = { revision: 1, reason: "the second was wrong" };
    const answer = await at.call<Workspace>(`POST /v1/terraform-workspaces/${held.id}/rollback`, {
      body,
    });
    expect(answer.body.state).toMatchObject({ revision: 3, serial: 3, rolled_back_from: 1 });
    const rolledBack = (await readText(held.id)).text;
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
    const held = await givenHeld();
    await write(held, stateText({ serial: 5 }));
    const before = await countParts();
    const padding = Array.from({ length: 60_000 }, () => crypto.randomUUID()).join("");
    const refused = await write(held, stateText({ serial: 1, padding }));
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
    const held = await givenHeld();
    await write(held, stateText({ serial: 1 }));
    await write(held, stateText({ serial: 2 }));
    const rollBack = (revision: number) =>
      at.call(`POST /v1/terraform-workspaces/${held.id}/rollback`, {
        body: { revision, reason: "why" },
      });
    expect(await rollBack(1)).toMatchObject({ status: 423, body: { ID: held.lockId } });
    await at.call(`POST /v1/terraform-workspaces/${held.id}/unlock?ID=${held.lockId}`);
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
    const held = await givenHeld();
    await write(held, stateText({ serial: 1, secret: "hunter2" }));
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
    const held = await givenHeld();
    await write(held, stateText({ serial: 1, secret: "hunter2" }));
    await write(held, stateText({ serial: 2, secret: "hunter3" }));
    await write(held, '{"serial":3,"lineage":"8d7b0f3a-lineage","resources":[]}');
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
    const held = await givenHeld();
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
    expect(await revisions(id)).toHaveLength(2);
    const refused = await at.call(`GET /v1/terraform-workspaces/${id}/states/current/resources`);
    expect(refused).toMatchObject({ status: 409, body: { code: "state_not_terraform" } });
  });
});
