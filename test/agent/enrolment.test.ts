import { readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { startTestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet, type TestRunner } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** A one-shot token in a file, as an operator leaves it. */
async function givenBootToken(runner: TestRunner): Promise<{ file: string; secret: string }> {
  const path_ = `/v1/runners/${runner.runnerId}/enrolment-tokens`;
  const { secret } = await runner.operate(`POST ${path_}`);
  const file = path.join(await testDataDir(), "token");
  await writeFile(file, `${String(secret)}\n`);
  return { file, secret: String(secret) };
}

describe("an agent with a one-shot token", () => {
  test("gets the runner's own, keeps it for itself alone, and starts again without the first", async () => {
    const runner = await fleet.addRunner();
    const { file, secret } = await givenBootToken(runner);
    const given = { url: fleet.broker.url, token: "", dataDir: await testDataDir() };
    const first = await startTestAgent(given, { "token-file": file });
    await runner.became(await runner.enqueue(), "finished");
    first.signal("SIGTERM");
    await first.gone;
    const kept = path.join(given.dataDir, "enrolled.json");
    expect(await readFile(kept, "utf8")).not.toContain(secret);
    expect((await stat(kept)).mode & 0o777).toBe(0o600);

    const second = await startTestAgent(given, { "token-file": file }); // it is spent, and not spent again
    second.signal("SIGTERM");
    await second.gone;
    await rm(file);
    await startTestAgent(given, { "token-file": file }); // its setting may stay
    await runner.became(await runner.enqueue(), "finished");
  });

  test("asks again when the answer was lost on the way", async () => {
    const runner = await fleet.addRunner();
    const { file } = await givenBootToken(runner);
    const proxy = await faultProxy(fleet.broker.url);
    const lost = proxy.fail("POST /v1/enrol", "reset", 1);
    await startTestAgent({ url: proxy.url, token: "" }, { "token-file": file });
    expect(lost.hits()).toBe(1);
    await runner.became(await runner.enqueue(), "finished");
  });

  test("says what is wrong when it was spent before", async () => {
    const runner = await fleet.addRunner();
    const { file } = await givenBootToken(runner);
    await startTestAgent({ url: fleet.broker.url, token: "" }, { "token-file": file });
    const again = startTestAgent({ url: fleet.broker.url, token: "" }, { "token-file": file });
    await expect(again).rejects.toMatchObject({ exit: "unauthorized" });
    await expect(again).rejects.toThrow("unknown, used, revoked");
  });
});

test("an enrolled token is rotated long before its end, and the old one is not needed any more", async () => {
  const runner = await fleet.addRunner();
  const { file } = await givenBootToken(runner);
  const given = { url: fleet.broker.url, token: "", dataDir: await testDataDir() };
  const first = await startTestAgent(given, { "token-file": file });
  first.signal("SIGTERM");
  await first.gone;
  const kept = path.join(given.dataDir, "enrolled.json");
  const before = JSON.parse(await readFile(kept, "utf8")) as { token: string };
  const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString();
  await writeFile(kept, JSON.stringify({ ...before, expires_at: inTenDays }));
  const second = await startTestAgent(given);
  await until(async () => !(await readFile(kept, "utf8")).includes(before.token));
  await runner.became(await runner.enqueue(), "finished");
  second.signal("SIGTERM");
  await second.gone;
  await startTestAgent(given);
  await runner.became(await runner.enqueue(), "finished");
});

test("a token that was changed in its file is read again when the old one is refused", async () => {
  const runner = await fleet.addRunner();
  const file = path.join(await testDataDir(), "token");
  await writeFile(file, runner.token);
  const proxy = await faultProxy(fleet.broker.url);
  await startTestAgent({ url: proxy.url, token: "" }, { "token-file": file });
  const rotated = await fleet.broker.call<{ secret: string }>("POST /v1/tokens/current/rotate", {
    token: runner.token,
  });
  expect(rotated.status).toBe(201);
  await writeFile(file, rotated.body.secret);
  const refused = proxy.fail(
    ({ headers }) => headers.authorization === `Bearer ${runner.token}`,
    "401",
  );
  await runner.became(await runner.enqueue(), "finished");
  await runner.became(await runner.enqueue(), "finished");
  expect(refused.hits()).toBeGreaterThan(0);
});
