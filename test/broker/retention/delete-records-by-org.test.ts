import { beforeEach, describe, expect, test } from "vitest";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { deleteByOrg } from "../../../broker/retention/delete-by-org.ts";
import type { Retained } from "../../../shared/retention.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { type GivenRunner, givenProcess, givenRunner } from "../../support/rows/given.ts";

const { db } = await testDatabase();
const { signal } = new AbortController();
const run = (batch = 2) => deleteByOrg(db, { signal, batch });

let mine: GivenRunner;
let other: GivenRunner;
beforeEach(async () => {
  await db`update orgs set retain_heart_beats_days = null, retain_health_checks_days = null, retain_audit_days = null`;
  [mine, other] = [await givenRunner(db), await givenRunner(db)];
});

const keep = ({ orgId }: GivenRunner, kind: Retained, days: number | null) =>
  db`update orgs set ${db(`retain_${kind}_days`)} = ${days} where id = ${orgId}`;

async function idsOf(table: string, { orgId }: { readonly orgId: OrgId }): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from ${db(table)} where org_id = ${orgId} order by id`;
  return rows.map(({ id }) => id);
}

describe("beats and health checks of an org that keeps them for two days", () => {
  const write = async ({ orgId, runnerId }: GivenRunner, processId: string, key: string) => {
    await db`insert into runner_beat_minutes values (${processId}, svc_now(), ${orgId}, ${runnerId}, 1)`;
    await db`
      insert into runner_health_checks (id, org_id, runner_id, minute_bucket, status)
      values (${`hck_${key}_${runnerId}`}, ${orgId}, ${runnerId}, svc_now(), 'active')`;
  };
  const minutesOf = async ({ orgId }: GivenRunner) =>
    (await db`select from runner_beat_minutes where org_id = ${orgId}`).length;

  test("go by their age, each by its own days; another org's stay", async () => {
    for (const runner of [mine, other]) {
      const processId = await givenProcess(db, runner);
      for (let n = 0; n < 5; n += 1) {
        await write(runner, processId, `old${n}`);
        await advanceClock(db, "1 minute");
      }
    }
    await advanceClock(db, "3 days");
    const [alive = ""] = await idsOf("runner_processes", mine);
    await write(mine, alive, "young");
    await keep(mine, "heart_beats", 2);
    expect(await run()).toEqual({ heart_beats: 5 });
    expect([await minutesOf(mine), await minutesOf(other)]).toEqual([1, 5]);
    expect(await idsOf("runner_health_checks", mine)).toHaveLength(6);
    await keep(mine, "health_checks", 2);
    expect(await run()).toEqual({ health_checks: 5 });
    expect(await idsOf("runner_health_checks", mine)).toEqual([`hck_young_${mine.runnerId}`]);
    expect(await idsOf("runner_health_checks", other)).toHaveLength(5);
  });

  test("processes go with their histories when they ended; live ones and the latest stay", async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push(await givenProcess(db, mine));
    const [dead = "", live = "", latest = ""] = ids;
    await write(mine, dead, "x");
    await db`select * from request_shutdowns(${[dead]}, ${["shd_y"]}, 'graceful', interval '1 hour', 'me')`;
    await db`select process_goes_down(id, 'shut-down', 'bye') from unnest(${[dead, latest]}::text[]) id`;
    await keep(mine, "heart_beats", 2);
    await advanceClock(db, "1 day");
    expect(await run(1)).toEqual({});
    await advanceClock(db, "2 days");
    expect(await run(1)).toEqual({ heart_beats: 2 }); // its minute, then itself
    expect(await idsOf("runner_processes", mine)).toEqual([live, latest].toSorted());
    expect(await db`select from status_history where owner_id in (${dead}, 'shd_y')`).toEqual([]);
    expect(await db`select from status_history where owner_id = ${latest}`).not.toEqual([]);
  });
});

describe("the audit log of an org that keeps it for ten days", () => {
  const tell = async ({ orgId }: GivenRunner, count: number) => {
    const entry = { org_id: orgId, age_ms: 0, count: 1, action: "updateQueue", outcome: "allowed" };
    const words = { actor_id: "a", target_type: "", target_id: "", parent_id: "", ip: "" };
    const rest = { user_agent: "", request_id: "", reason: "", code: "", status: 200 };
    const ended = Array.from({ length: count }, (_, n) => ({
      id: `aud_${n}${Math.random()}`,
      ...entry,
      ...words,
      ...rest,
    }));
    await db`select write_audit('[]', ${JSON.stringify(ended)}::text::jsonb)`;
  };

  test("loses what is older, in batches, over months; nothing else can be deleted or changed", async () => {
    for (const runner of [mine, other]) await tell(runner, 5);
    await advanceClock(db, "32 days");
    for (const runner of [mine, other]) await tell(runner, 3);
    const refused = /the audit log is append-only/;
    const remove = ({ orgId }: GivenRunner) => db`delete from audit_events where org_id = ${orgId}`;
    await expect(remove(mine)).rejects.toThrow(refused);
    await keep(mine, "audit", 10);
    await expect(remove(mine)).rejects.toThrow(refused); // the young ones are among them
    await expect(remove(other)).rejects.toThrow(refused);
    await expect(
      db`update audit_events set action = 'x' where org_id = ${mine.orgId}`,
    ).rejects.toThrow(refused);
    await expect(db`truncate audit_events`).rejects.toThrow(refused);
    expect(await run()).toEqual({ audit: 5 });
    expect(await idsOf("audit_events", mine)).toHaveLength(3);
    expect(await idsOf("audit_events", other)).toHaveLength(8);
    await expect(keep(mine, "audit", 6)).rejects.toThrow("retain_audit_days");
  });
});
