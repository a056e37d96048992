import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerAvailability, RunnerStrips } from "../../../shared/api/runner-availability.ts";
import { givenOperator, type GivenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { beat, givenOrg, givenProcess } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
  await stopClock(at.db);
  const [row] = await at.db<{ rest: string }[]>`
    select (date_trunc('day', svc_now()) + interval '24 hours' - svc_now())::text as rest`;
  await advanceClock(at.db, row?.rest ?? "0");
  await at.db`
    insert into rollup_coverage (width_s, at, minutes)
    select 60, svc_now() - interval '1 minute' * n, 1 from generate_series(-2000, 2000) n`;
});

const hourNs = 3600e9;

describe("a runner's availability", () => {
  test("is the share of the time to serve in which it served", async () => {
    const { id, given } = await at.createRunner();
    // The broker sweeps, too, and either passes over what the other has locked.
    const statusAfterSweep = async () => {
      await at.db`select sweep_processes(100)`;
      return (await at.call<{ status: string }>(`GET /v1/runners/${id}`)).body.status;
    };
    await advanceClock(at.db, "1 hour");
    const first = await givenProcess(at.db, given);
    const second = await givenProcess(at.db, given);
    await advanceClock(at.db, "1 hour", { alive: [first, second] });
    await advanceClock(at.db, "61 seconds", { alive: [first] });
    await at.db`select sweep_processes(100)`; // the second is silent
    await advanceClock(at.db, "30 minutes", { alive: [first] });
    await at.db`select sweep_processes(100)`; // and given up
    await at.call(`POST /v1/runners/${id}/pause`, { body: { note: "a look", until: "30m" } });
    await advanceClock(at.db, "1 hour");
    await expect.poll(statusAfterSweep).toBe("offline");
    await advanceClock(at.db, "1 hour");
    const third = await givenProcess(at.db, given);
    await advanceClock(at.db, "1 hour", { alive: [third] });
    await at.call(`POST /v1/runners/${id}/disable`);
    await advanceClock(at.db, "1 hour");
    const path = `GET /v1/runners/${id}/availability?window=10h`;
    const { body } = await at.call<RunnerAvailability>(path);
    const states = body.periods.map(({ state, paused }) => (paused ? `${state}, paused` : state));
    expect(states).toEqual([
      "no-data",
      "active",
      "degraded",
      "active, paused",
      "active",
      "offline",
      "active",
      "shut-down",
    ]);
    expect(body.time_in["shut-down"]).toBe(hourNs);
    expect(body.time_in.offline).toBe(hourNs);
    expect(body.time_in.degraded).toBe(hourNs / 2);
    const served = body.time_in.active + body.time_in.degraded;
    expect(body.availability).toBeCloseTo(served / (served + hourNs), 5);
  });

  test("is told of a shutdown as such, and of a drain", async () => {
    const { id, given } = await at.createRunner();
    const processId = await givenProcess(at.db, given);
    await advanceClock(at.db, "1 hour 123 microseconds", { alive: [processId] });
    await at.call(`POST /v1/runners/${id}/graceful-shutdown`);
    await advanceClock(at.db, "10 minutes", { alive: [processId] });
    await at.db`select process_goes_down(${processId}, 'shut-down', 'done')`;
    await advanceClock(at.db, "1 hour");
    const path = `GET /v1/runners/${id}/availability?window=3h`;
    const { body } = await at.call<RunnerAvailability>(path);
    expect(body.periods.map(({ state, draining }) => [state, draining])).toEqual([
      ["no-data", false],
      ["active", false],
      ["shut-down", true],
      ["shut-down", false],
    ]);
    // Instants have microseconds, durations are whole nanoseconds.
    expect(Object.values(body.time_in).filter((ns) => !Number.isInteger(ns))).toEqual([]);
  });

  test("is not known to another org", async () => {
    const { id } = await at.createRunner();
    const token = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    expect((await at.call(`GET /v1/runners/${id}/availability`, { token })).status).toBe(404);
    const strips = await at.call<RunnerStrips>(`GET /v1/stats/runners?ids=${id}`, { token });
    expect(strips.body.items).toEqual([]);
  });
});

describe("strips", () => {
  test("have the worst of each quarter of an hour, for each runner in the order asked", async () => {
    const [one, other] = [await at.createRunner(), await at.createRunner()];
    const processId = await givenProcess(at.db, one.given);
    await advanceClock(at.db, "1 hour", { alive: [processId] });
    await advanceClock(at.db, "1 minute");
    await at.db`select sweep_processes(100)`;
    await advanceClock(at.db, "1 minute");
    await beat(at.db, [processId]);
    await advanceClock(at.db, "1 hour", { alive: [processId] });
    const path = `GET /v1/stats/runners?ids=${other.id},run_unknown,${one.id}`;
    const { body } = await at.call<RunnerStrips>(path);
    expect(body.bucket).toBe(900e9);
    expect(body.items.map((item) => item.runner_id)).toEqual([other.id, one.id]);
    expect(body.items[0]?.periods).toMatchObject([
      { state: "no-data", from: body.from, to: body.to },
    ]);
    expect(body.items[0]?.availability).toBeNull();
    expect(body.items[1]?.periods.map(({ state }) => state)).toEqual([
      "no-data",
      "active",
      "offline",
      "active",
    ]);
    const offline = body.items[1]?.periods[2];
    expect(Date.parse(offline?.to ?? "") - Date.parse(offline?.from ?? "")).toBe(900e3);
    expect(body.items[1]?.availability).toBeGreaterThan(0.98);
  });

  test.each([
    ["", "required"],
    [Array.from({ length: 101 }, (_, n) => `run_${n}`).join(","), "too_big"],
  ])("are refused for too few or too many runners", async (ids, code) => {
    const answer = await at.call(`GET /v1/stats/runners?ids=${ids}`);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ code }] } });
  });
});
