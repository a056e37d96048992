import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { jobReader } from "../../support/agent/given-jobs.ts";
import { action, givenKillableAgent, wait } from "../../support/agent/given-killable-agent.ts";
import { startAgentProcess } from "../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { testFolder, patiently } from "../../support/run/folder.ts";

const main = path.join(import.meta.dirname, "..", "..", "..", "agent", "main.ts");
/** Whoever may make a namespace of users of their own may mount there; nobody else sees the mount. */
const mounting = 'mount -t tmpfs -o size=1m,mode=700 tmpfs "$0" && exec "$@"';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

describe("an agent whose disk refuses what it writes", () => {
  test("reports a job as what it was, with its outputs and its log, when the disk fills meanwhile", async () => {
    const dataDir = await testFolder(0o700);
    const runner = await fleet.addRunner({ parallelism: { actions: 2 } });
    const agent = await startAgentProcess({
      url: fleet.broker.url,
      env: { SVC_AGENT_TOKEN: runner.token },
      dataDir,
      settings: { "work-dir": await testFolder(0o700), "run-dir": await testFolder(0o700) },
      command: ["unshare", "-rm", "sh", "-c", mounting, dataDir, process.execPath, main],
    });
    const { ended } = jobReader(fleet, runner);
    const script = [
      'echo ok=1 >>"$SVC_ACTIONS_OUTPUT_FILEPATH"',
      `head -c 5000000 /dev/zero >${dataDir}/fill || echo "it is full"`,
      "echo the end",
    ];
    const steps = [{ name: "fill", interpolated_command: script.join("\n") }];
    const id = await runner.enqueue(action(steps));
    const { status, outputs } = await ended(id);
    expect({ status, outputs }).toMatchObject({ status: "finished", outputs: { ok: "1" } });
    const read = async (): Promise<string> => {
      const { body } = await fleet.broker.call<{ items: { body: string }[] }>(
        `GET /v1/log-streams/lgs_${id.slice(4)}/logs?limit=1000`,
        { token: runner.operatorToken },
      );
      return body.items.map((line) => line.body).join("\n");
    };
    await expect.poll(read).toMatch(/it is full\nthe end\n.*finished/);
    expect(agent.said.err).toBe("");
  });

  test("lives on and does its jobs when no log can be kept on disk", async () => {
    const agent = await givenKillableAgent(fleet);
    const { first, ended, enqueue, logOf } = agent;
    await agent.run({ type: "noop" }); // it has started
    const logs = path.join(first.dataDir, "logs");
    await rm(logs, patiently);
    await writeFile(logs, "a file where the folder was");
    const go = agent.mark("go");
    const id = await enqueue(
      action([{ name: "one", interpolated_command: `echo hi; ${wait(go)}; echo ho` }]),
    );
    await expect.poll(async () => await logOf(id)).toContain("hi");
    await writeFile(go, "");
    expect((await ended(id)).status).toBe("finished");
    await expect.poll(async () => await logOf(id)).toContain("ho");
    expect(first.said.err).toBe("");
  });
});
