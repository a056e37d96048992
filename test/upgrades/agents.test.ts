import { writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { wait } from "../support/agent/given-killable-agent.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";
import { givenUpgrade } from "../support/upgrades/given-upgrade.ts";
import { type Build, keptNames, present, unpackBuild } from "../support/upgrades/kept-builds.ts";
import { proveAgent } from "../support/upgrades/prove-agent.ts";

test("two builds are kept", () => {
  expect(keptNames).toHaveLength(2);
});

describe.each(keptNames)("the agent of %s", (name) => {
  let old: Build;
  beforeAll(async () => {
    old = await unpackBuild(name);
  });

  test("works with the present broker: registers, claims, runs, logs, cancels, drains", async () => {
    const given = await givenUpgrade(present);
    await proveAgent(given, old);
  });

  /** Of an upgrade and of a roll-back: who dies, and who comes after it. */
  const turns = [
    ["is followed by the present one", () => [old, present]],
    ["follows the present one", () => [present, old]],
  ] as const;

  test.each(turns)("%s, and a running job and its log go on", async (_, who) => {
    const [before = present, after = present] = who();
    const { enqueue, became, logOf, host } = await givenUpgrade(present);
    const { start, mark } = await host();
    const first = await start(before);
    const script = `echo before; ${wait(mark)}; echo after; echo by=both >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`;
    const id = await enqueue([{ name: "one", interpolated_command: script }]);
    await expect.poll(() => logOf(id)).toContain("before");
    first.kill("SIGKILL");
    await first.ended;
    const second = await start(after);
    await writeFile(mark, "");
    const { executions, outputs } = await became(id, "finished");
    expect(executions).toHaveLength(1);
    expect(JSON.stringify(outputs)).toContain("both");
    await expect.poll(() => logOf(id)).toContain("after");
    const lines = await logOf(id);
    for (const line of ["before", "after"]) {
      expect(lines.filter((one) => one === line)).toEqual([line]);
    }
    expect(second.said.err).toBe("");
  });

  test.each(turns)("%s, and what had not been sent is sent", async (_, who) => {
    const [before = present, after = present] = who();
    const { url, enqueue, became, logOf, host } = await givenUpgrade(present);
    const { start } = await host();
    const proxy = await faultProxy(url);
    const first = await start(before, proxy.url);
    const held = [proxy.fail("POST /finish", "hang"), proxy.fail("POST /logs", "hang")];
    const id = await enqueue([{ name: "one", interpolated_command: "echo said" }]);
    await expect.poll(() => held.map((one) => one.hits() > 0)).toEqual([true, true]);
    first.kill("SIGKILL");
    await first.ended;
    await start(after);
    expect((await became(id, "finished")).executions).toHaveLength(1);
    await expect.poll(() => logOf(id)).toContain("said");
    expect((await logOf(id)).filter((line) => line === "said")).toEqual(["said"]);
  });
});
