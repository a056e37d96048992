import { expect } from "vitest";
import type { Upgrade } from "./given-upgrade.ts";
import type { Build } from "./kept-builds.ts";

type Page = { readonly items: readonly { readonly version: string }[] };

/** Lets an agent do all that agents do, at whichever broker: register, claim, run, log, cancel, drain. */
export async function proveAgent(given: Upgrade, build: Build, brokerUrl?: string): Promise<void> {
  const { enqueue, became, call, logOf, runnerId, host } = given;
  const agent = await (await host()).start(build, brokerUrl);
  const { items } = await call<Page>(`GET /v1/runners/${runnerId}/processes`);
  expect(items[0]?.version).toMatch(/^\d/);
  const script = 'seq 1 50; echo answer=42 >>"$SVC_ACTIONS_OUTPUT_FILEPATH"';
  const id = await enqueue([{ name: "one", interpolated_command: script }], brokerUrl);
  const { outputs, executions } = await became(id, "finished");
  expect(executions).toHaveLength(1);
  expect(JSON.stringify(outputs)).toContain("42");
  const numbers = async () => (await logOf(id)).filter((line) => /^\d+$/.test(line)).map(Number);
  const all = Array.from({ length: 50 }, (_, at) => at + 1);
  await expect.poll(numbers).toEqual(all);

  const long = [{ name: "long", interpolated_command: "echo begun; exec sleep 600" }];
  const cancelled = await enqueue(long, brokerUrl);
  await expect.poll(() => logOf(cancelled)).toContain("begun");
  await call(`POST /v1/runner-jobs/${cancelled}/cancel`, {});
  await became(cancelled, "cancelled");
  await call(`POST /v1/runners/${runnerId}/graceful-shutdown`, {});
  expect(await agent.ended).toBe(0); // it does not go before the cancelled one has stopped
  expect(agent.said.err).toBe("");
}
