import { beforeAll, describe, expect, test } from "vitest";
import type { Workspace } from "../../shared/api/terraform-workspaces.ts";
import { send } from "../support/broker/broker.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { svc } from "../support/programs/svc.ts";
import { backendPath, stateText, terraformLock } from "../support/workspaces/given-workspace.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

const call = <Body = Record<string, unknown>>(what: string, body?: unknown) =>
  send<Body>(cli.url, what, { token: cli.token, ...(body !== undefined && { body }) });

/** A workspace with these states, held by nobody. */
const givenStates = (...states: Parameters<typeof stateText>[0][]): Promise<string> =>
  givenTexts(...states.map(stateText));

async function givenTexts(...states: readonly string[]): Promise<string> {
  const body = { owner_id: "ins_1", owner_type: "installs" };
  const { id } = (await call<Workspace>("POST /v1/terraform-workspaces", body)).body;
  const lock = terraformLock();
  await call(`POST /v1/terraform-workspaces/${id}/lock`, lock);
  for (const state of states) await call(`POST ${backendPath(id, lock.ID)}`, state);
  await call(`POST /v1/terraform-workspaces/${id}/unlock`, lock);
  return id;
}

/** A line whose reason has spaces. */
const run = (words: readonly string[]) =>
  svc(words, { env: { SVC_URL: cli.url, SVC_TOKEN: cli.token } });

describe("svc workspace", () => {
  test("lists, shows and tells the history of workspaces", async () => {
    const id = await givenStates({ serial: 1 }, { serial: 2 });
    const listed = await cli.run("workspace list --owner ins_1");
    expect(listed.out).toMatch(/^ID +OWNER +REVISION +SERIAL +HELD +STATE +CHANGED\n/);
    expect(listed.out).toMatch(new RegExp(`${id} +ins_1 +2 +2 +- +\\d+ B`));
    const shown = await cli.run(`workspace show ${id}`);
    expect(shown.out).toMatch(/state +revision 2, serial 2, \d+ B/);
    const history = await cli.run(`workspace history ${id}`);
    expect(history.out).toMatch(/2 \(current\) +2 /);
    expect((await cli.run("workspace list --locked -o name")).out).not.toContain(id);
  });

  test("shows what two revisions differ in, and nothing sensitive", async () => {
    const id = await givenStates({ serial: 1, secret: "hunter2" }, { serial: 2, secret: "other" });
    const diff = await cli.run(`workspace diff ${id}`);
    expect(diff).toMatchObject({ code: 0, err: "revision 1 → 2\n" });
    expect(diff.out).toBe(
      [
        "~ terraform_data.one",
        '    id: "r-1" → "r-2"',
        '~ output url: "https://example.com/1" → "https://example.com/2"',
        "",
      ].join("\n"),
    );
    const same = await cli.run(`workspace diff ${id} --from 2 --to 2`);
    expect(same.err).toMatch(/No differences. Sensitive values/);
    const json = await cli.run(`workspace diff ${id} --from 1 --to 2 -o json`);
    expect(JSON.parse(json.out)).toMatchObject({ from: { revision: 1 }, to: { revision: 2 } });
  });

  test("shows whole numbers as they are written, however large, and what differs in the last digit", async () => {
    const big = (serial: number) =>
      stateText({ serial: 1 }).replace('"https://example.com/1"', `1234567890123456789${serial}`);
    const id = await givenTexts(big(1), big(2).replace('"serial": 1', '"serial": 2'));
    const diff = await cli.run(`workspace diff ${id}`);
    expect(diff.out).toBe("~ output url: 12345678901234567891 → 12345678901234567892\n");
    const outputs = await cli.run(`api GET /v1/terraform-workspaces/${id}/states/2/outputs`);
    expect(outputs.out).toContain('"value":12345678901234567892');
  });

  test("locks under one's own name and unlocks; what a terraform holds only by force", async () => {
    const id = await givenStates({ serial: 1 });
    const locked = await run(["workspace", "lock", id, "--reason", "moving it"]);
    expect(locked.out).toMatch(/held by +[^ ]+@[^ ]+, held by hand: moving it/);
    const again = await run(["workspace", "lock", id, "--reason", "me too"]);
    expect(again.code).not.toBe(0);
    expect(again.err).toContain("The workspace is locked");
    expect((await cli.run("workspace list --locked -o name")).out).toContain(id);
    const unlocked = await cli.run(`workspace unlock ${id}`);
    expect(unlocked.code).toBe(0);
    expect(unlocked.out).not.toMatch(/held by/);
    const lock = terraformLock();
    await call(`POST /v1/terraform-workspaces/${id}/lock`, lock);
    const unsure = await cli.run(`workspace unlock ${id}`);
    expect(unsure).toMatchObject({ code: 2 });
    expect(unsure.err).toContain("ci@runner, OperationTypeApply holds it");
    expect((await cli.run(`workspace unlock ${id} --force`)).err).toContain("--reason");
    const words = ["workspace", "unlock", id, "--force", "--reason", "host is gone"];
    expect((await run(words)).code).toBe(0);
    const shown = await cli.run(`workspace show ${id}`);
    expect(shown.out).toMatch(/force-unlocked by \w+: host is gone\n.*\n.* unlocked by \w+\n/);
  });

  test("blocks with a reason, and unblocks", async () => {
    const id = await givenStates({ serial: 1 });
    expect((await cli.run(`workspace block ${id}`)).code).toBe(2);
    const blocked = await run(["workspace", "block", id, "--reason", "apply was killed"]);
    expect(blocked.out).toMatch(/blocked +apply was killed/);
    const refused = await run(["workspace", "lock", id, "--reason", "why not"]);
    expect(refused.err).toContain("The workspace is blocked: apply was killed");
    const longTexts = await run(["workspace", "unblock", id, "--reason", "looked into"]);
    expect(longTexts.out).not.toContain("apply was killed");
  });

  test("shows a state that could not be written, and pushes or discards it", async () => {
    const id = await givenStates({ serial: 1 });
    const rescued = stateText({ serial: 2 });
    const path = `/v1/terraform-workspaces/${id}/rescued-states`;
    expect((await cli.run(`workspace rescued ${id}`)).err).toContain("No rescued states.");
    const { body: kept } = await call<{ id: string }>(`POST ${path}`, rescued);
    const { body: other } = await call<{ id: string }>(`POST ${path}`, stateText({ serial: 3 }));
    const listed = await cli.run(`workspace rescued ${id}`);
    expect(listed.out).toMatch(new RegExp(`${kept.id} +2 `));
    expect((await cli.run(`workspace read-rescued ${id} ${kept.id}`)).out).toContain(rescued);
    await run(["workspace", "block", id, "--reason", "look"]);
    const pushed = await run(["workspace", "push-rescued", id, kept.id, "--reason", "it is whole"]);
    expect(pushed.out).toMatch(/state +revision 2, serial 2,/);
    expect(pushed.out).toMatch(/^blocked +look/m); // a person's block is a person's to lift
    const gone = ["workspace", "discard-rescued", id, other.id, "--reason", "older"];
    expect((await run(gone)).code).toBe(0);
    expect((await cli.run(`workspace rescued ${id} -o name`)).out).toBe("");
  });

  test("rolls back to a revision when it is told twice", async () => {
    const id = await givenStates({ serial: 1 }, { serial: 2 });
    const words = ["workspace", "rollback", id, "--revision", "1", "--reason", "2 was wrong"];
    expect((await run(words)).code).toBe(2);
    const done = await run([...words, "--yes"]);
    expect(done.out).toMatch(/state +revision 3, serial 3,/);
    expect((await cli.run(`workspace history ${id}`)).out).toMatch(/rolled back to 1/);
  });
});
