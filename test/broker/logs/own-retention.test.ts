import { expect, test } from "vitest";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { deleteByOrg } from "../../../broker/retention/delete-by-org.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import type { LogPage } from "../../support/logs/given-logs.ts";
import { givenRunningLog } from "../../support/logs/given-running-log.ts";
import { postLogs, protobufLogs, storedBodies } from "../../support/logs/otlp-logs.ts";

const database = await testDatabase();
const { db } = database;
const broker = await startBroker({ url: database.url });
const setup = async () => await givenRunningLog(database, broker);
const { signal } = new AbortController();
const run = () => deleteByOrg(db, { signal, batch: 1 });
const keep = (orgId: OrgId, days: number) =>
  db`update orgs set retain_logs_days = ${days} where id = ${orgId}`;

/** The clocks of the job and its process stand still for a year. */
async function hold({ jobId, processId }: { readonly jobId: string; readonly processId: string }) {
  await db`
    update runner_job_live set deadline_at = deadline_at + interval '1 year', overall_at = overall_at + interval '1 year'
     where id = ${jobId}`;
  await db`update runner_processes set deadline_at = deadline_at + interval '1 year' where id = ${processId}`;
}

test("old days of an org's logs go; the log of a job that runs stays whole, and so do another org's", async () => {
  const [ended, live, other] = [await setup(), await setup(), await setup()];
  for (const { send } of [ended, live, other]) await send(1, 2);
  await hold(live);
  await ended.finish(2);
  await other.finish(2);
  await advanceClock(db, "3 days", { alive: [live.processId] });
  await live.send(3);
  expect(await run()).toEqual({});
  for (const { orgId } of [ended, live]) await keep(orgId, 2);
  expect(await run()).toEqual({ logs: 1 });
  expect(await live.job()).toMatchObject({ status: "in-progress" });
  expect(await storedBodies(db, live.orgId, live.streamId)).toEqual(["line 1", "line 2", "line 3"]);
  expect(await storedBodies(db, other.orgId, other.streamId)).toEqual(["line 1", "line 2"]);
  expect(await db`select from log_chunks where org_id = ${ended.orgId}`).toEqual([]);
  expect(await db`select from log_streams where org_id = ${ended.orgId}`).toEqual([]);
  expect(await run()).toEqual({});
  await live.finish(3);
  await advanceClock(db, "1 minute");
  expect(await run()).toEqual({ logs: 1 });
  expect(await storedBodies(db, live.orgId, live.streamId)).toEqual(["line 3"]);
  const path = `GET /v1/log-streams/${live.streamId}/logs?cursor=`;
  const { body } = await broker.call<LogPage>(path, { token: live.admin });
  expect(body.items.map(({ notice, body: words }) => notice ?? words)).toEqual([
    "deleted",
    "line 3",
  ]);
  expect(await live.stream()).toMatchObject({ records: 1 });
});

test("a stream that stays open loses its old days and goes on", async () => {
  await stopClock(db);
  await db`update orgs set retain_logs_days = null`;
  const log = await setup();
  const made = await broker.call<{ id: string }>("POST /v1/log-streams", {
    token: log.admin,
    body: { owner_id: "thing", owner_type: "things", runner_id: log.runnerId },
  });
  expect(made.status).toBe(201);
  const { id: streamId } = made.body;
  const send = async (line: string) => {
    const body = protobufLogs([{ body: line }]);
    return (await postLogs({ url: broker.url, streamId, token: log.token, body })).status;
  };
  expect(await send("old")).toBe(201);
  await keep(log.orgId, 2);
  await advanceClock(db, "3 days");
  expect(await run()).toEqual({ logs: 1 });
  expect(await run()).toEqual({});
  expect(await send("young")).toBe(201);
  expect(await storedBodies(db, log.orgId, streamId)).toEqual(["young"]);
  await advanceClock(db, "1 day");
  expect(await run()).toEqual({ logs: 1 }); // its first day moves on
  expect(await storedBodies(db, log.orgId, streamId)).toEqual(["young"]);
});
