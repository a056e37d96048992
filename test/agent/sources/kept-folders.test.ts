import { expect, test } from "vitest";
import { jobReader } from "../../support/agent/given-jobs.ts";
import { startTestAgent } from "../../support/agent/start-test-agent.ts";
import { givenFleet } from "../../support/broker/given-fleet.ts";
import { type Fault, faultProxy } from "../../support/network/fault-proxy.ts";

test("a folder that a broker does not have is missing, and one whose broker knows no folders is tried again", async () => {
  const fleet = await givenFleet();
  const proxy = await faultProxy(fleet.broker.url);
  const runner = await fleet.addRunner({ parallelism: { actions: 1 } });
  await startTestAgent({ url: proxy.url, token: runner.token }, { groups: "actions=1" });
  const { runSteps } = jobReader(fleet, runner);
  const source = { archive: { blob: `sha256:${"0".repeat(64)}` } };
  const fetched = async (fault?: Fault) => {
    if (fault !== undefined) proxy.fail("GET /source", fault, 1);
    const { result } = await runSteps([{ source, interpolated_command: "true" }]);
    return result?.error_metadata;
  };
  expect(await fetched()).toMatchObject({ reason: "source_unavailable", class: "not_found" });
  // As one of an older version answers, which does not know the route.
  expect(await fetched("404")).toMatchObject({ reason: "source_unavailable", class: "network" });
  expect(await fetched("409")).toMatchObject({ reason: "source_unavailable", class: "refused" });
  expect(await fetched("401")).toMatchObject({ reason: "internal" });
  expect(proxy.seen("GET /source")).toHaveLength(4);
});
