import { beforeAll, describe, expect, test, vi } from "vitest";
import { metricsSetup } from "../../support/broker/metrics.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";
import { waitLimitMs } from "../../support/run/hang-limits.ts";

const patience = { timeout: waitLimitMs };

describe("a broker", () => {
  let found: Map<string, number>;

  beforeAll(async () => {
    const { db, broker, metrics } = await metricsSetup();
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
    const body = { process_id: processId, groups: { deploy: 1 } };
    const claiming = broker.call(`POST /v1/runners/${runner.runnerId}/jobs/claim`, { token, body });
    await vi.waitUntil(() => broker.broker.polls.dispatcher.parked.size === 1, patience);
    await givenJob(db, runner);
    await claiming;
    await vi.waitUntil(async () => {
      found = await metrics();
      return found.get("svc_listen_connected") === 1;
    }, patience);
  });

  test("counts its parked polls and how many one look serves", () => {
    expect(found.get("svc_parked_polls")).toBe(0);
    expect(found.get("svc_claim_batch_count")).toBeGreaterThan(0);
    expect(found.get('svc_claim_batch_bucket{le="1"}')).toBe(found.get("svc_claim_batch_count"));
  });

  test("knows its pool, its event loop and its process", () => {
    for (const name of [
      "svc_pg_pool_in_use",
      "svc_pg_pool_answer_seconds",
      "svc_figures_age_seconds",
      'svc_event_loop_lag_seconds{quantile="0.99"}',
      "process_open_fds",
    ]) {
      expect([name, found.get(name)]).toEqual([name, expect.any(Number)]);
    }
    expect(found.get("process_resident_memory_bytes")).toBeGreaterThan(10e6);
    expect(found.get("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(found.get("process_start_time_seconds")).toBeGreaterThan(1.7e9);
  });

  test("has no label that looks like an id, a URL or an address", () => {
    const labels = [...found.keys()].flatMap((name) => [...name.matchAll(/(\w+)="([^"]*)"/g)]);
    expect(labels.length).toBeGreaterThan(50);
    const isLoose = (value: string) =>
      /[a-z]{3}_[0-9a-z]{20,}|\/\/|\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{8}-/.test(value) ||
      value.length > 80;
    expect(labels.filter(([, , value = ""]) => isLoose(value)).map(([text]) => text)).toEqual([]);
    const names = new Set(labels.map(([, name]) => name));
    expect([...names].filter((name = "") => /runner|job|org|process|url|token/.test(name))).toEqual(
      [],
    );
  });
});
