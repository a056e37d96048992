import { beforeAll, describe, expect, test } from "vitest";
import { startBrokerProcess } from "../support/broker-process.ts";
import { type GivenOperator, givenOperator } from "../support/given-operator.ts";
import { backendPath, stateText } from "../support/given-workspace.ts";
import { holdWorkspace } from "../support/held-workspace.ts";

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
    await expect.poll(written, { timeout: 30_000 }).toBeGreaterThan(10);
    await victim.kill();
    goOn();
    await expect(writing).rejects.toThrow();
    expect((await held.read()).text === old).toBe(true);
    expect(await held.revisions()).toHaveLength(1);
    expect((await at.call(`GET /v1/terraform-workspaces/${held.id}/lock`)).status).toBe(200);
    expect((await held.write(text)).status).toBe(200);
    expect((await held.read()).text === text).toBe(true);
  }, 120_000);
});
