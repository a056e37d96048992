import { beforeAll, describe, expect, test } from "vitest";
import {
  runnerJobType,
  type RunnerJobType,
  runnerJobTypeNames,
} from "../../../shared/runner-job-types.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenRunner } from "../../support/rows/given.ts";
import { givenPeople } from "../../support/workflows/given-people.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const given = await givenWorkflowsApi();
const { db } = given;

let org: Awaited<ReturnType<typeof givenPeople>>;
beforeAll(async () => {
  org = await givenPeople(given);
});
const refusal = { status: 403, body: { code: "self_approval" } };

describe("where nobody approves their own, a job by hand for an install's runner", () => {
  const jobs = () => `POST /v1/runners/${org.runner.runnerId}/jobs`;
  const noop = { type: "noop-deploy" };
  const signal = () => ({
    type: "runner-job",
    signal: { runner_id: org.runner.runnerId, ...noop },
  });
  const queue = async () =>
    (await org.api<{ id: string }>("POST /v1/queues", { name: `q${Math.random()}` })).body.id;
  const forbid = (prevents: boolean) =>
    org.api("PATCH /v1/orgs/current", { prevent_self_approval: prevents });
  const emitter = {
    name: "nightly",
    mode: "cron",
    cron_schedule: "0 0 1 1 *",
    signal_type: "runner-job",
  };

  test("is refused, alone, in a batch, again, and by signals, callbacks and emitters; the way is named", async () => {
    await forbid(false);
    const old = await org.api<{ id: string }>(jobs(), noop);
    expect(old.status).toBe(201);
    await forbid(true);
    const id = await queue();
    const { type, signal: value } = signal();
    const callback = { on: ["finished"], runner_job: value };
    const refused = [
      await org.x.api(jobs(), noop),
      await org.x.api(`${jobs()}/batch`, { jobs: [noop, noop] }),
      await org.x.api(`POST /v1/runner-jobs/${old.body.id}/rerun`, {}),
      await org.x.api(`POST /v1/queues/${id}/signals`, signal()),
      await org.x.api(`POST /v1/queues/${id}/signals`, { type: "noop", callbacks: [callback] }),
      await org.x.api(`POST /v1/queues/${id}/emitters`, {
        ...emitter,
        signal_type: type,
        signal_template: value,
      }),
    ];
    for (const one of refused) expect(one).toMatchObject(refusal);
    expect(refused[0]?.body.detail).toContain("/actions/adhoc-run");
    expect((await org.x.api(jobs(), { type: "shut-down" })).status).toBe(201); // an order to the runner
  });

  test("is refused when an emitter of before fires", async () => {
    await forbid(false);
    const id = await queue();
    const made = await org.x.api<{ id: string }>(`POST /v1/queues/${id}/emitters`, {
      ...emitter,
      signal_template: signal().signal,
    });
    expect(made.status).toBe(201);
    await forbid(true);
    const fired = await org.x.api<{ id: string }>(`POST /v1/emitters/${made.body.id}/fire`);
    const status = async () =>
      (
        await org.api<{ status: { status: string; status_human_description: string } }>(
          `GET /v1/signals/${fired.body.id}`,
        )
      ).body.status;
    await until(async () => (await status()).status === "dead");
    expect((await status()).status_human_description).toContain("self_approval");
  });

  test("is taken for a runner of no install, and of orgs that do not say so", async () => {
    const { runnerId } = await givenRunner(db, { orgId: org.orgId });
    expect((await org.x.api(`POST /v1/runners/${runnerId}/jobs`, noop)).status).toBe(201);
    await forbid(false);
    expect((await org.x.api(jobs(), noop)).status).toBe(201);
    await forbid(true);
  });

  test("is every job that no workflow makes, but for orders", async () => {
    const kinds = runnerJobTypeNames.map((type) => ({ type }));
    const rows = await db<{ type: RunnerJobType; is_by_hand: boolean }[]>`
      select j.type, is_by_hand(j) from json_populate_recordset(null::new_job, ${JSON.stringify(kinds)}::text::json) j`;
    for (const { type, is_by_hand } of rows)
      expect([type, is_by_hand]).toEqual([type, runnerJobType(type).ordersRunner !== true]);
  });
});
