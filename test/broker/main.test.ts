import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { testSealKeys } from "../support/broker/seal-keys.ts";
import { emptyDatabase, testDatabase } from "../support/database/database.ts";

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Started = { readonly child: Child; readonly lines: AsyncIterator<string> };

const root = path.resolve(import.meta.dirname, "../..");
const { url } = await testDatabase();
const children: Child[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** The broker as a process of its own. */
function start(env: Record<string, string>): Started {
  const child = spawn(process.execPath, ["broker/main.ts"], {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      SVC_PORT: "0",
      SVC_DRAIN_LINGER_MS: "0",
      SVC_SEAL_KEYS: testSealKeys,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Its next log line with this message. */
async function logged({ lines }: Started, message: string): Promise<Record<string, unknown>> {
  for (;;) {
    const next = await lines.next();
    if (next.done === true) throw new Error(`the broker ended without saying "${message}"`);
    const entry = JSON.parse(next.value) as Record<string, unknown>;
    if (entry["msg"] === message) return entry;
  }
}

async function exitOf({ child }: Started): Promise<{ code: number | null; stderr: string }> {
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.resume();
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr };
}

describe("the broker's process", () => {
  test("serves, and ends with 0 on SIGTERM", async () => {
    const started = start({ DATABASE_URL: url });
    const serving = await logged(started, "broker is ready");
    const answer = await fetch(`${String(serving["url"])}/livez`);
    expect(answer.status).toBe(200);
    await answer.text();
    started.child.kill("SIGTERM");
    expect(await exitOf(started)).toEqual({ code: 0, stderr: "" });
  });

  test("ends at once with 1 on a second signal", async () => {
    const started = start({ DATABASE_URL: url, SVC_DRAIN_LINGER_MS: "60000" });
    await logged(started, "broker is ready");
    started.child.kill("SIGTERM");
    await logged(started, "broker is draining");
    started.child.kill("SIGTERM");
    expect((await exitOf(started)).code).toBe(1);
  });

  test("says in one sentence what is wrong with a setting", async () => {
    const { code, stderr } = await exitOf(start({ DATABASE_URL: url, SVC_PORT: "http" }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "SVC_PORT must be a whole number from 0 to 65535.\n",
    });
  });

  test("does not start without a key, unless told that nothing is to be sealed", async () => {
    const { code, stderr } = await exitOf(start({ DATABASE_URL: url, SVC_SEAL_KEYS: "" }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^SVC_SEAL_KEYS is not set. Set it to .*\n$/);
    const { url: unsealed } = await testDatabase();
    await logged(start({ DATABASE_URL: unsealed, SVC_SEAL_KEYS: "none" }), "broker is ready");
  });

  test("refuses a database without its tables", async () => {
    const { url: empty } = await emptyDatabase();
    const { code, stderr } = await exitOf(start({ DATABASE_URL: empty }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database has no schema of svc yet\. Run "svc migrate up"\.\n$/);
  });
});
