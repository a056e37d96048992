import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startBrokerProcess } from "../support/broker/broker-process.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import { givenQueue, givenSignal, signalStatus } from "../support/queues/given-signals.ts";

const { db, url } = await testDatabase();
const program = path.join(import.meta.dirname, "..", "support", "queues", "holder-program.ts");

async function startBroker(): Promise<void> {
  const broker = await startBrokerProcess(url);
  onTestFinished(() => broker.kill());
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Somebody whom held signals wake; answers which signals did. */
function startHolder(task: string, does: "hang" | "end") {
  const child = spawn(process.execPath, [program, url, task, does], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => kill(child));
  let said = "";
  child.stdout.on("data", (bytes: Buffer) => (said += bytes.toString()));
  return { wokenBy: () => said.trim().split("\n"), kill: () => kill(child) };
}

async function givenHeld(task: string) {
  const queue = await givenQueue(db);
  const id = await givenSignal(db, queue, { runs: "hold", task });
  const next = await givenSignal(db, queue, { runs: "hold", task });
  return { id, next };
}

test("a held signal whose holder is killed in its task wakes the next holder within 30 s, and ends once", async () => {
  await startBroker();
  const { id, next } = await givenHeld("killed");
  const dying = startHolder("killed", "hang");
  await expect.poll(dying.wokenBy).toEqual([id]);
  await dying.kill();
  const living = startHolder("killed", "end");
  await advanceClock(db, "25 s");
  await db`select sweep_signals(100)`;
  expect(await signalStatus(db, id)).toBe("in-flight");
  await advanceClock(db, "6 s");
  await expect.poll(living.wokenBy).toEqual([id, next]);
  await expect.poll(() => signalStatus(db, next)).toBe("finished");
  expect(await signalStatus(db, id)).toBe("finished");
  await expectSoundSignals(db);
});

test("a held signal whose task is lost, or failed for good, wakes its holder when a broker lives", async () => {
  const { id } = await givenHeld("lost");
  const { id: other } = await givenHeld("failed");
  await db`delete from graphile_worker._private_jobs where payload ->> 'signal_id' = ${id}`;
  await db`update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'signal_id' = ${other}`;
  startHolder("lost", "end");
  startHolder("failed", "end");
  await advanceClock(db, "31 s");
  await startBroker();
  await expect.poll(() => signalStatus(db, id)).toBe("finished");
  await expect.poll(() => signalStatus(db, other)).toBe("finished");
  await expectSoundSignals(db);
});
