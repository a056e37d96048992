import { beforeAll, expect, test } from "vitest";
import type { ProcessShutdown } from "../../../shared/api/runner-process-shutdown.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenManagedHost, type ManagedHost } from "../../support/mng/given-managed-host.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** A host whose agent and management process are up, and what an operator can tell its runner. */
async function setup() {
  const host = await givenManagedHost(fleet);
  const mng = host.startMng();
  const agent = await host.agentUp();
  await until(async () => (await host.live("mng")).length === 1);
  const order = async (what: string) =>
    await fleet.broker.call<ProcessShutdown[] & { code?: string; detail?: string }>(
      `POST /v1/runners/${host.runnerId}/${what}`,
      { token: host.operatorToken, body: {} },
    );
  return { host, mng, agent, order };
}

/** Whether its management process is all that has not ended. */
async function isAlone({ runnerId, operatorToken: token }: ManagedHost): Promise<boolean> {
  const path = `GET /v1/runners/${runnerId}/processes?alive=true`;
  const { body } = await fleet.broker.call<{ items: { type: string }[] }>(path, { token });
  return body.items.map(({ type }) => type).join() === "mng";
}

test("orders to a runner are for its agent: the management process stays, and can start it again", async () => {
  const { host, agent, order } = await setup();
  for (const what of ["graceful-shutdown", "force-shutdown"]) {
    const { id } = await host.agentUp();
    const { status, body } = await order(what);
    expect(status).toBe(200);
    expect(body.map(({ runner_process_id: of }) => of)).toEqual([id]);
    await until(async () => await isAlone(host));
    const again = await order(what);
    expect(again).toMatchObject({ status: 409, body: { code: "no_live_process" } });
    expect(again.body.detail).toContain("management process");
    expect((await order("mng/restart")).status).toBe(200);
    expect((await host.agentUp(id)).id).not.toBe(agent.id);
  }
});

test("a restart that an operator orders is one of the agent, by its management process", async () => {
  const { host, mng, agent, order } = await setup();
  const [before] = await host.live("mng");
  expect((await order("restart")).status).toBe(201);
  await host.agentUp(agent.id);
  expect((await host.live("mng")).map(({ id }) => id)).toEqual([before?.id]);
  expect(await host.run({ type: "noop" })).toMatchObject({ status: "finished" });
  mng.kill("SIGKILL");
});
