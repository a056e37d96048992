import { beforeAll, describe, expect, test } from "vitest";
import { tidyStates } from "../../../broker/retention/tidy-states.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { stateText } from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const tidy = (revisions: number) =>
  tidyStates(
    at.db,
    { revisions, deletedDays: 14 },
    { signal: new AbortController().signal, batch: 2 },
  );

async function countParts(): Promise<number> {
  const [row] = await at.db<{ n: number }[]>`select count(*)::int as n from terraform_state_parts`;
  return row?.n ?? -1;
}

describe("revisions of state", () => {
  test("are all kept unless told, then the newest and the current one, whichever that is", async () => {
    const held = await holdWorkspace(at);
    for (let serial = 1; serial <= 7; serial++) await held.write(stateText({ serial }));
    expect(await tidy(0)).toBe(0);
    await at.db`
      update terraform_workspaces w set state_id = s.id from terraform_workspace_states s
       where w.id = ${held.id} and s.workspace_id = w.id and s.revision = 2`;
    expect(await tidy(3)).toBe(3);
    expect((await held.revisions()).map(({ revision }) => revision)).toEqual([7, 6, 5, 2]);
    expect(await countParts()).toBe(4);
    expect((await held.read()).text).toBe(stateText({ serial: 2 }));
  });

  test("of a deleted workspace go after some days with all that belongs to it, unless it is restored", async () => {
    const held = await holdWorkspace(at);
    const before = await countParts();
    for (let serial = 1; serial <= 3; serial++) await held.write(stateText({ serial }));
    const path = `/v1/terraform-workspaces/${held.id}`;
    await at.call(`POST ${path}/state-json`, { body: { values: {} } });
    await held.unlock();
    const body = { reason: "by mistake" };
    expect((await at.call(`DELETE ${path}?reason=moved`)).status).toBe(200);
    await advanceClock(at.db, "13 days");
    expect(await tidy(0)).toBe(0);
    const listed = await at.call<{ items: { id: string }[] }>(
      "GET /v1/terraform-workspaces?deleted=true",
    );
    expect(listed.body.items.map(({ id }) => id)).toEqual([held.id]);
    expect((await at.call(`POST ${path}/restore`, { body })).status).toBe(200);
    expect(await held.revisions()).toHaveLength(3);
    expect((await at.call(`GET ${path}/events`)).body).toMatchObject([
      { kind: "restored", ...body },
      { kind: "deleted", reason: "moved" },
      { kind: "unlocked" },
      { kind: "locked" },
    ]);
    expect((await at.call(`DELETE ${path}`)).status).toBe(200);
    await advanceClock(at.db, "14 days 2 hours");
    expect((await at.call(`POST ${path}/restore`, { body })).status).toBe(404);
    expect(await tidy(0)).toBe(3);
    expect(await countParts()).toBe(before);
    const rows = await at.db`select from terraform_workspaces where id = ${held.id}`;
    expect(rows).toHaveLength(0);
  });

  test("that were never finished are taken away after an hour, not before", async () => {
    const objectId = "tfs_00000000000000000000000000";
    const before = await countParts();
    await at.db`
      with upload as (
        insert into terraform_state_uploads (object_id, org_id) values (${objectId}, ${at.orgId}))
      insert into terraform_state_parts (object_id, n, org_id, body)
      select ${objectId}, n, ${at.orgId}, '\\x00' from generate_series(0, 4) n`;
    await at.db`
      insert into sent_pieces (upload_id, n, org_id, body) values ('upl_1', 0, ${at.orgId}, '\\x00')`;
    const ahead = () => at.db`select upload_id from sent_pieces`;
    await tidy(0);
    expect(await countParts()).toBe(before + 5);
    expect(await ahead()).toHaveLength(1);
    await advanceClock(at.db, "61 minutes");
    await tidy(0);
    expect(await countParts()).toBe(before);
    expect(await ahead()).toHaveLength(0);
  });
});
