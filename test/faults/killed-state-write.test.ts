import { beforeAll, describe, expect, test } from "vitest";
import { startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { type GivenOperator, givenOperator } from "../support/broker/given-operator.ts";
import { testDatabase } from "../support/database/database.ts";
import { backendPath, stateText } from "../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../support/workspaces/held-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const paddingOf = (mebibytes: number): string =>
  Array.from({ length: mebibytes * 16 }, () => crypto.randomUUID().repeat(1820)).join("");

/** A body whose second half is sent when it is told to. */
function halting(text: string): { body: ReadableStream<Uint8Array>; goOn: () => void } {
  const bytes = Buffer.from(text);
  const half = Math.floor(bytes.length / 2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = ReadableStream.from(
    (async function* pieces() {
      yield bytes.subarray(0, half);
      await promise;
      yield bytes.subarray(half);
    })(),
  );
  return { body, goOn: resolve };
}

describe("a broker killed in the middle of a large state", () => {
  test("leaves the old one, still locked; the same write goes through another broker", async () => {
    const held = await holdWorkspace(at);
    const old = stateText({ serial: 1, padding: paddingOf(2) });
    expect((await held.write(old)).status).toBe(200);
    const [{ before } = { before: -1 }] = await at.db<{ before: number }[]>`
      select count(*)::int as before from terraform_state_parts`;
    const text = stateText({ serial: 2, padding: paddingOf(50) });
    const victim = await startBrokerProcess(at.broker.broker.config.databaseUrl);
    const { body, goOn } = halting(text);
    const writing = fetch(victim.url + backendPath(held.id, held.lockId), {
      method: "POST",
      headers: { authorization: `Bearer ${at.token}`, "content-type": "application/json" },
      body,
      duplex: "half",
    });
    writing.catch(() => {});
    const written = async (): Promise<number> => {
      const [row] = await at.db<{ n: number }[]>`
        select count(*)::int as n from terraform_state_parts`;
      return (row?.n ?? 0) - before;
    };
    await expect.poll(written).toBeGreaterThan(10);
    await victim.kill();
    goOn();
    await expect(writing).rejects.toThrow();
    expect((await held.read()).text === old).toBe(true);
    expect(await held.revisions()).toHaveLength(1);
    expect((await at.call(`GET /v1/terraform-workspaces/${held.id}/lock`)).status).toBe(200);
    expect((await held.write(text)).status).toBe(200);
    expect((await held.read()).text === text).toBe(true);
  });
});

describe("a broker killed while a state is committed", () => {
  /** Whoever changes a workspace waits at the end of its transaction, until the lock is let go. */
  async function committing() {
    const { url, db } = await testDatabase();
    const by = await givenOperator("org_admin", { url, db });
    const held = await holdWorkspace(by);
    const texts = { old: stateText({ serial: 1 }), fresh: stateText({ serial: 2 }) };
    await held.write(texts.old);
    await db.unsafe(`
      create function wait_at_commit() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(42); return null; end $$;
      create constraint trigger waits after update on terraform_workspaces
        deferrable initially deferred for each row execute function wait_at_commit()`);
    const gate = await db.reserve();
    await gate`select pg_advisory_lock(42)`;
    // Its statement waits for the gate as long as the test takes.
    const victim = await startBrokerProcess(url, { settings: { SVC_LOCK_WAIT_MS: "0" } });
    const path = `POST ${backendPath(held.id, held.lockId)}`;
    send(victim.url, path, { token: by.token, body: texts.fresh }).catch(() => {});
    const waiting = async (): Promise<number[]> =>
      (
        await db<{ pid: number }[]>`
          select pid from pg_locks where locktype = 'advisory' and objid = 42 and not granted
             and database = (select oid from pg_database where datname = current_database())`
      ).map(({ pid }) => pid);
    await expect.poll(waiting).toHaveLength(1);
    await victim.kill();
    const [pid = 0] = await waiting();
    const letGo = async (): Promise<void> => {
      await gate`select pg_advisory_unlock(42)`;
      gate.release();
      await expect.poll(waiting).toEqual([]);
    };
    return { held, db, pid, letGo, ...texts };
  }

  test("leaves the new state, whole, when the database got so far; the same write again changes nothing", async () => {
    const { held, letGo, fresh } = await committing();
    await letGo();
    await expect.poll(async () => (await held.read()).text).toBe(fresh);
    expect((await held.write(fresh)).status).toBe(200);
    expect(await held.revisions()).toHaveLength(2);
  });

  test("leaves the old state, whole, when it did not; the same write again goes through", async () => {
    const { held, db, pid, letGo, old, fresh } = await committing();
    await db`select pg_terminate_backend(${pid})`;
    await letGo();
    expect((await held.read()).text).toBe(old);
    expect(await held.revisions()).toHaveLength(1);
    expect((await held.write(fresh)).status).toBe(200);
    expect((await held.read()).text).toBe(fresh);
  });
});
