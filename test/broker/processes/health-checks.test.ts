import { beforeAll, describe, expect, test } from "vitest";
import type { HealthCheck } from "../../../shared/api/health-check.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { routeRules } from "../../support/broker/route-rules.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenProcess } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator("org_admin", { env: { SVC_RATE_TOKEN_PER_S: "0" } });
});

async function setup() {
  const { given: runner } = await at.createRunner();
  const { runnerId } = runner;
  const token = await givenToken(at.db, runner);
  const report = async (body: object) => {
    const path = `POST /v1/runners/${runnerId}/health-checks`;
    const answer = await at.call<HealthCheck>(path, { token, body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const rows = () => at.db<
    { minute_bucket: Date; process_id: string | null; status_code: number }[]
  >`
    select minute_bucket, process_id, status_code from runner_health_checks
     where runner_id = ${runnerId} order by minute_bucket, process_id`;
  return { runner, report, rows };
}

describe("a health check", () => {
  test("is one row for each process and minute, however often it is told", async () => {
    const { runner, report, rows } = await setup();
    const processes = [await givenProcess(at.db, runner), await givenProcess(at.db, runner)];
    for (const process_id of processes) {
      await Promise.all(Array.from({ length: 20 }, () => report({ process_id, status_code: 7 })));
    }
    const minutes = new Set((await rows()).map((row) => row.minute_bucket.getTime()));
    expect((await rows()).length).toBeLessThanOrEqual(2 * minutes.size);
    await advanceClock(at.db, "1 minute");
    const before = (await rows()).length;
    await report({ process_id: processes[0] });
    expect((await rows()).length).toBe(before + 1);
  });

  test("of a later call takes the place of an earlier one in its minute", async () => {
    const { runner, report, rows } = await setup();
    const process_id = await givenProcess(at.db, runner);
    const first = await report({ process_id, status_code: 1 });
    const second = await report({ process_id, status_code: 0 });
    const isSameMinute = first.minute_bucket === second.minute_bucket;
    expect(second.id === first.id).toBe(isSameMinute);
    expect((await rows()).at(-1)?.status_code).toBe(0);
  });

  test("without a process is one for each type of process, whatever is said to be one", async () => {
    const { report, rows } = await setup();
    const types = ["install", "mng", "", ...Array.from({ length: 20 }, (_, n) => `type ${n}`)];
    for (const process of types) await report({ process });
    const minutes = new Set((await rows()).map((row) => row.minute_bucket.getTime()));
    expect((await rows()).length).toBeLessThanOrEqual(3 * minutes.size);
  });

  test("counts against its token's rate", () => {
    expect(routeRules["createHealthCheck"]?.unmetered).toBe(undefined);
  });
});
