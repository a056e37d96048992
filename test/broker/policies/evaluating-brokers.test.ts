import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { configOf, givenPolicies, policy } from "../../support/policies/given-policies.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const registry = { SVC_REGISTRY: "https://registry.example.com" };
const config = configOf(policy("any", "deny contains 1"));
/** It is there, and evaluates nothing: what it says is another sentence than that there is none. */
const noAnswer = "/bin/false";

test("a broker without OPA leaves policies to one that has it", async () => {
  const { setup, brokers, db } = await givenWorkflowsApi({
    env: { ...registry, SVC_OPA: "/nowhere/opa" },
  });
  const url = brokers[0]?.broker.config.databaseUrl ?? "";
  await startBroker({ url, env: { ...registry, SVC_OPA: noAnswer } });
  await until(async () => (await db`select from policy_engines`).length === 1);
  const shop = await givenPolicies(setup, config);
  const said = new Set<string>();
  for (let n = 0; n < 5; n++) {
    const { status_description: words } = await shop.build("cache", "error");
    said.add(words);
  }
  expect([...said]).toEqual([expect.stringContaining("The policy any cannot be evaluated")]);
});

test("what a broker failed to write down is tried again after a while, three times at most", async () => {
  const { setup, brokers, db } = await givenWorkflowsApi({
    env: { ...registry, SVC_OPA: noAnswer },
  });
  const shop = await givenPolicies(setup, config);
  await db`create sequence failures`;
  await db`
    create function fail_first() returns trigger language plpgsql as $$
      begin if nextval('failures') <= 2 then raise exception 'not now'; end if; return new; end $$`;
  await db`create trigger fails before insert on policy_reports for each row execute function fail_first()`;
  await stopClock(db); // no lease ends by itself, and nobody tries again
  const ended = shop.build("cache", "error");
  const waitsFor = async (seconds: number) =>
    await until(async () => {
      const [row] = await db<{ seconds: number }[]>`
        select extract(epoch from taken_until - svc_now())::int as seconds from policy_evaluations`;
      return row?.seconds === seconds;
    });
  for (const seconds of [10, 20]) {
    await waitsFor(seconds);
    await advanceClock(db, `${seconds} seconds`);
  }
  const build: ComponentBuild = await ended;
  expect(build.composite_error).toMatchObject({ code: "policy_unavailable" });
  expect(await db`select last_value::int as tries from failures`).toEqual([{ tries: 3 }]);
  const told = brokers
    .flatMap(({ logged }) => logged)
    .filter((line) => line.includes("were not evaluated"));
  expect(told).toHaveLength(2);
});
