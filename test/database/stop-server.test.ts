import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { stopServer } from "../../broker/database/embedded-owner.ts";

const stubborn = `
  for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
  setInterval(() => {}, 60_000);
  console.log("ready");
`;

/** A program that ends by force alone. */
async function givenStubborn(): Promise<{ pid: number; ended: Promise<unknown[]> }> {
  const child = spawn(process.execPath, ["-e", stubborn], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await once(createInterface(child.stdout), "line");
  return { pid: child.pid ?? 0, ended };
}

/** From now on the clock goes on by so much at each look at it, however fast this machine is. */
function stepClock(stepMs: number): () => number {
  let nowMs = 0;
  const looked = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += stepMs));
  onTestFinished(() => looked.mockRestore());
  return () => nowMs;
}

test("a server that does not stop is asked ever more urgently, by force before five seconds are over", async () => {
  const { pid, ended } = await givenStubborn();
  const nowMs = stepClock(200);
  const asked: [string | number | undefined, number][] = [];
  const kill = process.kill.bind(process);
  const killing = vi.spyOn(process, "kill").mockImplementation((whom, signal) => {
    if (signal !== 0) asked.push([signal, nowMs()]);
    return kill(whom, signal);
  });
  onTestFinished(() => killing.mockRestore());

  await stopServer(pid);
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(nowMs()).toBeLessThanOrEqual(5_000);
  expect(asked.map(([signal]) => signal)).toEqual(["SIGINT", "SIGQUIT", "SIGKILL"]);
  const [first, , last] = asked.map(([, atMs]) => atMs);
  expect(first).toBeLessThanOrEqual(200);
  expect(last).toBeLessThan(5_000);
});

test("a server that stops is asked once", async () => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await stopServer(child.pid ?? 0, 600_000);
  expect(await ended).toEqual([null, "SIGINT"]);
});
