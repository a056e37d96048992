import { expect, test } from "vitest";
import { startCommandLine } from "../support/programs/command-line.ts";
import { playRunner } from "../support/programs/played-runner.ts";
import { startSvc, startSvcInTerminal } from "../support/programs/svc.ts";

const cli = await startCommandLine();
const runner = await playRunner(cli);
const env = { SVC_URL: cli.url, SVC_TOKEN: cli.token };
const run = ["job", "run", "--runner", cli.runner.runnerId, "--type", "noop-deploy"];
const now = new Date().toISOString();
const steps = [
  { name: "null.first\u001B[2J", status: "finished", started_at: now, ended_at: now },
  { name: "null.second\u001B[2J", status: "in-progress", started_at: now },
];
const end = { status: "finished", result: { success: true } };
const clear = "\r\u001B[K";

test("a terminal shows how far a job is in one last line, which is gone at its end", async () => {
  const at = startSvcInTerminal(run, { env });
  const line = "1 of 2 steps ended; under way: null.second [2J";
  await runner.next({
    ...end,
    steps,
    until: async () => await expect.poll(() => at.said.out).toContain(line),
  });
  const { code, out } = await at.ended;
  expect(code).toBe(0);
  const [, after = ""] = out.split(line);
  expect(after.startsWith(clear)).toBe(true);
  expect(after).toMatch(/job_\w+ finished/);
  expect(after).not.toContain("steps ended");
  expect(out).not.toContain("\u001B[2J");
});

test("a pipe gets no such line", async () => {
  const at = startSvc(run, { env });
  let looks = 0;
  await runner.next({
    ...end,
    steps,
    until: async () => await expect.poll(() => (looks += 1), { interval: 100 }).toBeGreaterThan(30),
  });
  const { out, err } = await at.ended;
  expect(out + err).toMatch(/job_\w+ finished/);
  expect(out + err).not.toContain("steps ended");
});
