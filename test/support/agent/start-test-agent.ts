import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { endCgroup } from "../../../agent/job-cgroups/end-cgroup.ts";
import { cgroupBase, findCgroupParent } from "../../../agent/job-cgroups/find-cgroup-parent.ts";
import { openLog } from "../../../agent/log.ts";
import { openRunDir } from "../../../agent/processes/open-run-dir.ts";
import { type StartedAgent, startAgent } from "../../../agent/start-agent.ts";
import { patiently } from "../run/folder.ts";

export type TestAgent = StartedAgent & {
  readonly dataDir: string;
  /** Every line the agent logged. */
  readonly logged: string[];
};

/**
 * Settings that make an agent hurry: everything else is as it ships. It is patient with the broker, for a machine that
 * stands still for a moment must not look like a broker that does not answer.
 */
export const hurried = {
  "retry-from": "20ms",
  "retry-most": "100ms",
  "request-timeout": "20s",
  "claim-wait": "2s",
  "flush-timeout": "60s",
  "watch-port": "0",
  "min-free-disk": "0",
} as const;

const logAll = { "log-level": "debug" };

/** An empty data directory, removed after the test with the run directory and the cgroup that belong to it. */
export async function testDataDir(): Promise<string> {
  const dir = await mkdtemp(path.join(await realpath(tmpdir()), "svc-agent-test-"));
  onTestFinished(async () => {
    const { path: runDir } = await openRunDir({ dataDir: dir });
    const place = findCgroupParent();
    if (!("words" in place)) await endCgroup(cgroupBase(place, dir));
    for (const folder of [runDir, dir]) await rm(folder, { ...patiently, force: true });
  });
  return dir;
}

/** An agent in this process, hurried unless told; it is made to go after the test. */
export async function startTestAgent(
  given: {
    readonly url: string;
    readonly token: string;
    readonly dataDir?: string;
    readonly env?: Readonly<Record<string, string>>;
  },
  settings: Readonly<Record<string, string>> = {},
): Promise<TestAgent> {
  const dataDir = given.dataDir ?? (await testDataDir());
  const env = { PATH: process.env["PATH"], SVC_AGENT_TOKEN: given.token, ...given.env };
  const flags = {
    "broker-url": given.url,
    "data-dir": dataDir,
    ...hurried,
    ...logAll,
    ...settings,
  };
  const logged: string[] = [];
  const log = openLog("debug", { write: (line) => void logged.push(line) });
  const agent = await startAgent(readConfig(flags, env), log);
  onTestFinished(async () => {
    for (let nth = 0; nth < 3; nth++) agent.signal("SIGTERM");
    await agent.gone;
  });
  return { ...agent, dataDir, logged };
}
