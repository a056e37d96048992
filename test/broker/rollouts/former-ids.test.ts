import { expect, test } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { beat, givenProcess, givenRunner } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });

test("a rollout has a prefix of its own; one whose id begins as those of roles is read and cancelled all the same", async () => {
  const runner = await givenRunner(db);
  const token = await givenToken(db, { orgId: runner.orgId, role: "org_admin" });
  const ids = [await givenProcess(db, runner), await givenProcess(db, runner)];
  await beat(db, ids, []);
  const body = { whole_org: true, type: "graceful", include_last: true };
  const made = await call<{ id: string }>("POST /v1/runner-rollouts", { token, body });
  expect(made).toMatchObject({
    status: 201,
    body: { id: expect.stringMatching(/^rlo_/) as string },
  });
  const former = newId("rol");
  // No clock ends either of them before it is cancelled: one has no processes, the process of the other beats no more.
  await db`update runner_rollouts set deadline_at = svc_now() + interval '1 hour' where id = ${made.body.id}`;
  await db`
    insert into runner_rollouts
    select (jsonb_populate_record(r, jsonb_build_object('id', ${former}::text))).*
      from runner_rollouts r where r.id = ${made.body.id}`;
  type Page = { items: { process_id: string }[]; next_cursor: string | null };
  const page = async (cursor: string) => {
    const what = `GET /v1/runner-rollouts/${made.body.id}/processes?limit=1&cursor=${cursor}`;
    return (await call<Page>(what, { token })).body;
  };
  const first = await page("");
  const second = await page(encodeURIComponent(first.next_cursor ?? ""));
  const listed = [...first.items, ...second.items].map(({ process_id }) => process_id);
  expect(listed.toSorted()).toEqual(ids.toSorted());
  expect(second.next_cursor).toBeNull();
  for (const id of [former, made.body.id]) {
    const at = `/v1/runner-rollouts/${id}`;
    expect(await call(`GET ${at}`, { token })).toMatchObject({ status: 200, body: { id } });
    expect((await call(`GET ${at}/processes`, { token })).status).toBe(200);
    expect((await call(`POST ${at}/cancel`, { token, body: {} })).status).toBe(200);
  }
  expect((await call(`GET /v1/runner-rollouts/${newId("run")}`, { token })).status).toBe(404);
});
