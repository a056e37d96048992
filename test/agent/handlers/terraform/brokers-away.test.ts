import { beforeAll, expect, onTestFinished, test } from "vitest";
import { jobReader } from "../../../support/agent/given-jobs.ts";
import { startTestAgent } from "../../../support/agent/start-test-agent.ts";
import { startBrokerProcess } from "../../../support/broker/broker-process.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { faultProxy } from "../../../support/network/fault-proxy.ts";
import { freePorts } from "../../../support/network/free-ports.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { providerTools } from "../../../support/terraform/given-providers.ts";
import { givenTerraformWorkspace } from "../../../support/terraform/given-terraform.ts";
import { heldFiles } from "../../../support/terraform/held-files.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

/** An agent that works on a held configuration by way of this address. */
async function setup(url: string) {
  const held = await heldFiles();
  const runner = await fleet.addRunner({ parallelism: { deploy: 1 } });
  await startTestAgent({ url, token: runner.token }, { groups: "deploy=1", ...held.settings });
  const terraform = await givenTerraformWorkspace(fleet, runner);
  const reader = jobReader(fleet, runner);
  const id = await reader.enqueue(await terraform.job("exec", { files: held.files }));
  await held.begun();
  return { ...reader, held, terraform, id };
}

/** A broker of the same database that can be killed, and another one at its address. */
async function givenBrokers() {
  const { databaseUrl } = fleet.broker.broker.config;
  const [port = 0] = await freePorts(1);
  const start = async () => {
    const broker = await startBrokerProcess(databaseUrl, { port: String(port) });
    onTestFinished(broker.kill);
    return broker;
  };
  return { first: await start(), again: start };
}

describeWithTools(providerTools(["local"]), "an apply whose broker is killed", () => {
  test("goes on; its state arrives at the next one, and the lock is given back", async () => {
    const { first, again } = await givenBrokers();
    const { ended, held, terraform, id } = await setup(first.url);
    await first.kill();
    await held.release();
    await until(async () => (await held.made()).length === 2);
    expect(await terraform.state()).toBeUndefined(); // terraform cannot have saved it
    await again();
    expect(await ended(id)).toMatchObject({ status: "finished" });
    await held.expectTrue(terraform, ["first", "second"]);
  });

  test("while it writes the state, has one true state in the end", async () => {
    const { first, again } = await givenBrokers();
    const { ended, held, terraform, id } = await setup(first.url);
    const { db } = fleet;
    // Whoever writes a state waits at the end of its transaction.
    await db.unsafe(`
      create function wait_at_commit() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(42); return null; end $$;
      create constraint trigger waits after insert on terraform_workspace_states
        deferrable initially deferred for each row execute function wait_at_commit()`);
    const gate = await db.reserve();
    await gate`select pg_advisory_lock(42)`;
    const isWaiting = async (): Promise<boolean> => {
      const rows = await db`
        select from pg_locks where locktype = 'advisory' and objid = 42 and not granted
           and database = (select oid from pg_database where datname = current_database())`;
      return rows.length > 0;
    };
    await held.release();
    await until(isWaiting);
    await first.kill();
    await gate`select pg_advisory_unlock(42)`;
    gate.release();
    await again();
    expect(await ended(id)).toMatchObject({ status: "finished" });
    await held.expectTrue(terraform, ["first", "second"]);
    const path = `GET /v1/terraform-workspaces/${terraform.workspaceId}/states`;
    const { operatorToken: token } = terraform;
    const { body } = await fleet.broker.call<{ items: { serial: number }[] }>(path, { token });
    const serials = body.items.map(({ serial }) => serial);
    expect(new Set(serials).size).toBe(serials.length); // each was written once
  });
});

describeWithTools(providerTools(["local"]), "an apply whose broker is away", () => {
  test("saves its state and gives its lock back when the way is open again", async () => {
    const proxy = await faultProxy(fleet.broker.url);
    const { ended, held, terraform, id } = await setup(proxy.url);
    await proxy.setDown(true);
    await held.release();
    await until(async () => (await held.made()).length === 2);
    await proxy.setDown(false);
    const refused = proxy.fail("POST /v1/terraform-backend", "500", 2); // and is not well at once
    expect(await ended(id)).toMatchObject({ status: "finished" });
    expect(refused.hits()).toBe(2);
    await held.expectTrue(terraform, ["first", "second"]);
  });
});
