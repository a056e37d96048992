import { beforeAll, describe, expect, test } from "vitest";
import type { WorkspaceState } from "../../../shared/api/terraform-workspaces.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import {
  backendPath,
  contentMd5,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

describe("a state", () => {
  test("is 204 before the first, then what was written, byte for byte", async () => {
    const held = await holdWorkspace(at);
    expect(await held.read()).toEqual({ status: 204, text: "", md5: null });
    const text = stateText({ serial: 1, padding: "ünïcödé \\u0000 \\ud800" });
    expect((await held.write(text, contentMd5(text))).status).toBe(200);
    expect(await held.read()).toEqual({
      status: 200,
      text,
      md5: contentMd5(text)["content-md5"],
    });
    const [state] = await held.revisions();
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
    const held = await holdWorkspace(at);
    const texts = [1, 2, 7].map((serial) => stateText({ serial }));
    for (const text of texts) expect((await held.write(text)).status).toBe(200);
    const kept = await held.revisions();
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
    const held = await holdWorkspace(at);
    const text = stateText({ serial: 3 });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => held.write(text)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await held.revisions()).toHaveLength(1);
  });

  test.each([
    ["an older serial", { serial: 4 }, "state_serial_older"],
    ["the same serial with other bytes", { serial: 5, secret: "other" }, "state_serial_taken"],
    ["another lineage", { serial: 6, lineage: "another" }, "state_lineage_differs"],
  ])("with %s is refused, and nothing changes", async (_, state, code) => {
    const held = await holdWorkspace(at);
    const text = stateText({ serial: 5 });
    await held.write(text);
    const refused = await held.write(stateText(state));
    expect(refused).toMatchObject({ status: 409, body: { code, user_error: true } });
    expect((await held.read()).text).toBe(text);
    expect(await held.revisions()).toHaveLength(1);
  });

  test("without serial or lineage is compared by its bytes only", async () => {
    const held = await holdWorkspace(at);
    expect((await held.write(stateText({ serial: 5 }))).status).toBe(200);
    expect((await held.write('{"version":4,"lineage":""}')).status).toBe(200);
    expect((await held.write('{"version":4,"lineage":""}')).status).toBe(200);
    expect((await held.write(stateText({ serial: 1, lineage: "new" }))).status).toBe(200);
    expect(await held.revisions()).toHaveLength(3);
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
    const held = await holdWorkspace(at);
    expect(await held.write(text)).toMatchObject({ status: 400, body: { code } });
    expect((await held.read()).status).toBe(204);
  });

  test.each(['"7"', "-1", "1.5", "1e400", "null", "99999999999999999999"])(
    "with the serial %s is refused",
    async (serial) => {
      const held = await holdWorkspace(at);
      const answer = await held.write(`{"serial":${serial},"lineage":"a"}`);
      const known = serial === '"7"' || serial === "null" ? [200, 422] : [422];
      expect(known).toContain(answer.status);
    },
  );

  test("whose Content-MD5 is of another body is refused", async () => {
    const held = await holdWorkspace(at);
    const text = stateText({ serial: 1 });
    for (const headers of [contentMd5("other"), { "content-md5": "nonsense" }]) {
      const refused = await held.write(text, headers);
      expect(refused).toMatchObject({ status: 400, body: { code: "content_md5_differs" } });
    }
    expect(await held.revisions()).toEqual([]);
  });

  test("over 64 MiB is refused before it is read", async () => {
    const held = await holdWorkspace(at);
    const refused = await held.write("x".repeat(64 * 1024 * 1024 + 1));
    expect(refused).toMatchObject({ status: 413, body: { code: "body_too_large" } });
  });

  test("needs the lock's id: 423 with the holder, 409 when nothing is locked", async () => {
    const held = await holdWorkspace(at);
    const body = stateText({ serial: 1 });
    for (const path of [backendPath(held.id), backendPath(held.id, "another")]) {
      const refused = await at.call(`POST ${path}`, { body });
      expect(refused).toMatchObject({ status: 423, body: { ID: held.lockId, Who: "ci@runner" } });
    }
    await held.unlock();
    const refused = await held.write(body);
    expect(refused).toMatchObject({ status: 409, body: { code: "workspace_not_locked" } });
    expect((await held.read()).status).toBe(204);
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
    const held = await holdWorkspace(at);
    await held.write(stateText({ serial: 5 }));
    expect((await at.call(`DELETE ${backendPath(held.id)}`)).status).toBe(423);
    expect((await at.call(`DELETE ${backendPath(held.id, held.lockId)}`)).status).toBe(200);
    expect((await held.read()).status).toBe(204);
    expect((await held.write(stateText({ serial: 1, lineage: "new" }))).status).toBe(200);
    expect((await held.revisions()).map(({ revision }) => revision)).toEqual([2, 1]);
  });

  test("is deleted by a job only under its lock", async () => {
    const held = await holdWorkspace(at);
    const { token } = await givenStateJob(at, held.id);
    await held.write(stateText({ serial: 5 }));
    await held.unlock();
    const refused = await at.call(`DELETE ${backendPath(held.id)}`, { token });
    expect(refused).toMatchObject({ status: 409, body: { code: "workspace_not_locked" } });
    expect((await held.read()).status).toBe(200);
    const lock = terraformLock();
    await at.call(`POST /v1/terraform-workspaces/${held.id}/lock`, { token, body: lock });
    const deleted = await at.call(`DELETE ${backendPath(held.id, lock.ID)}&reason=moved`, {
      token,
    });
    expect(deleted.status).toBe(200);
    const events = await at.call<object[]>(`GET /v1/terraform-workspaces/${held.id}/events`);
    expect(events.body[0]).toMatchObject({ kind: "state-deleted", reason: "moved" });
  });
});
