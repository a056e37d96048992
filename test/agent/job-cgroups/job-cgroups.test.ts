import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  givenCgroupBase,
  givenDelegated,
  leftOut,
  powers,
} from "../../support/agent/given-job-cgroups.ts";
import {
  action,
  givenKillableAgent,
  type KillableAgent,
  wait,
} from "../../support/agent/given-killable-agent.ts";
import { startAgentProcess } from "../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentProgram } from "../../support/programs/present-programs.ts";
import { patiently } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** Starts what has shed its environment, its session and its parents; its pid is written down. */
const daemon = (file: string): string =>
  `env -i setsid -f sh -c 'echo "$$" >"$0.new"; mv "$0.new" "$0"; exec sleep 1000' ${file}; ${wait(file)}`;

async function daemonOf(runner: KillableAgent, name = "daemon"): Promise<number> {
  await runner.marked(name);
  return Number((await runner.lines(name))[0]);
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const step = (script: string, name = "step"): object => ({
  name,
  interpolated_inline_contents: script,
});
const cgroupOf = (pid: number): string =>
  /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, "utf8"))?.[1] ?? "";

if (!powers.kill) test(leftOut, () => expect(powers.kill).toBe(false));

const withCgroups = powers.kill ? describe : () => {};
withCgroups("jobs in cgroups", () => {
  test.each([
    ["finishes", "true", "finished"],
    ["fails", "exit 3", "failed"],
  ])("no daemon survives a job that %s", async (_, end, status) => {
    const runner = await givenKillableAgent(fleet);
    const { list } = givenCgroupBase(runner.first.dataDir);
    const job = await runner.enqueue(action([step(`${daemon(runner.mark("daemon"))}\n${end}`)]));
    const pid = await daemonOf(runner);
    expect((await runner.ended(job)).status).toBe(status);
    expect(isAlive(pid)).toBe(false);
    await until(() => list().length === 0);
  });

  test("nor one that is cancelled, and it was in its job's cgroup", async () => {
    const runner = await givenKillableAgent(fleet);
    const { base } = givenCgroupBase(runner.first.dataDir);
    const script = `${daemon(runner.mark("daemon"))}\necho "$SVC_EXECUTION_ID" >${runner.mark("execution")}\nsleep 1000`;
    const job = await runner.enqueue(action([step(script)]));
    await runner.marked("execution");
    const pid = await daemonOf(runner);
    const [execution = ""] = await runner.lines("execution");
    expect(path.basename(cgroupOf(pid))).toBe(execution);
    expect(existsSync(path.join(base, execution))).toBe(true);
    await runner.operate(`POST /v1/runner-jobs/${job}/cancel`);
    expect((await runner.ended(job)).status).toBe("cancelled");
    await until(() => !isAlive(pid));
  });

  test("nor an agent that is killed and started again", async () => {
    const runner = await givenKillableAgent(fleet);
    const { list } = givenCgroupBase(runner.first.dataDir);
    const go = runner.mark("go");
    const second = `${daemon(runner.mark("second"))}\necho "$SVC_EXECUTION_ID" >${runner.mark("execution")}`;
    const job = await runner.enqueue(
      action([step(`${daemon(runner.mark("daemon"))}\n${wait(go)}`), step(second, "second")]),
    );
    const first = await daemonOf(runner);
    await runner.kill(runner.first);
    expect(isAlive(first)).toBe(true);
    await runner.again();
    await writeFile(go, "");
    const later = await daemonOf(runner, "second");
    expect((await runner.ended(job)).status).toBe("finished");
    await until(() => !isAlive(first) && !isAlive(later));
    await until(() => list().length === 0);
  });

  test("what executions have left that nobody keeps is ended at the start", async () => {
    const runner = await givenKillableAgent(fleet);
    const { base, list } = givenCgroupBase(runner.first.dataDir);
    await runner.enqueue(action([step(`${daemon(runner.mark("daemon"))}\nsleep 1000`)]));
    const pid = await daemonOf(runner);
    await runner.kill(runner.first);
    await rm(path.join(runner.first.dataDir, "executions"), patiently);
    await mkdir(path.join(base, "exe_left", "below"), { recursive: true });
    await runner.again();
    await until(() => !isAlive(pid) && list().length === 0);
  });

  test.each([
    ["beside the agent's own, where that is called so", "agent", ""],
    ["else below it", "", ""],
    ["else below it, whatever it is called", "other", "other"],
  ])("they are made %s", async (_, subgroup, below) => {
    const { unit, enter } = givenDelegated(subgroup);
    const command = [...enter, process.execPath, agentProgram] as const;
    const runner = await givenKillableAgent(fleet, {}, command);
    await runner.run(action([step(`cat /proc/self/cgroup >${runner.mark("cgroup")}`)]));
    const [own = ""] = (await runner.lines("cgroup")).filter((line) => line.startsWith("0::"));
    const parent = path.join(path.basename(unit), below);
    expect(own).toMatch(new RegExp(`/${parent}/svc-agent-[0-9a-f]{12}/exe_\\w+$`));
  });

  test("the place goes with the agent", async () => {
    const runner = await givenKillableAgent(fleet);
    const { base } = givenCgroupBase(runner.first.dataDir);
    await until(() => existsSync(base));
    runner.first.kill("SIGTERM");
    await runner.first.ended;
    expect(existsSync(base)).toBe(false);
  });

  test("only with cgroups: without them, and without users for jobs, such a daemon stays", async () => {
    const runner = await givenKillableAgent(fleet, { "job-cgroups": "off" });
    const job = await runner.enqueue(action([step(daemon(runner.mark("daemon")))]));
    const pid = await daemonOf(runner);
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    expect((await runner.ended(job)).status).toBe("finished");
    expect(isAlive(pid)).toBe(true);
  });
});

const bounds = { "job-memory-max": "64MiB", "job-pids-max": "20" };
const eats = "const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));";
const canBound = powers.memory && powers.pids;

if (powers.kill && !canBound) {
  test(`bounds of jobs are left out here: ${powers.words}`, () => expect(canBound).toBe(false));
}

const withBounds = canBound ? describe : () => {};
withBounds("the bounds of a job", () => {
  test("end what takes more, and that is told", async () => {
    const { enter } = givenDelegated("agent");
    const command = [...enter, process.execPath, agentProgram] as const;
    const runner = await givenKillableAgent(fleet, { ...bounds, "job-cgroups": "on" }, command);
    const eater = { name: "eater", argv: [process.execPath, "-e", eats] };
    const fat = await runner.run(action([eater]));
    expect(fat.description).toContain("the job reached job-memory-max");
    const forks = "for n in $(seq 50); do sleep 1000 & done; exit 1";
    const forked = await runner.run(action([step(forks)]));
    expect(forked.description).toContain("the job reached job-pids-max");
  });
});

withCgroups("bounds that cannot be kept", () => {
  test("end an agent that must keep them with a sentence: 78", async () => {
    const { enter } = givenDelegated();
    const command = [...enter, process.execPath, agentProgram] as const;
    const runner = await givenKillableAgent(fleet, { ...bounds, "job-cgroups": "on" }, command);
    expect(await runner.first.ended).toBe(78);
    const words =
      "jobs cannot have job-memory-max and job-pids-max on this host: the agent itself runs in";
    expect(runner.first.said.err).toContain(words);
  });

  test("are warned of, where cgroups need not be", async () => {
    const runner = await givenKillableAgent(fleet, { ...bounds, "job-cgroups": "off" });
    const isWarned = () =>
      runner.first.said.log.some(({ msg }) => msg === "jobs run without the configured limits");
    await until(isWarned);
    expect((await runner.run(action([step("true")]))).status).toBe("finished");
  });
});

test("an agent that must have cgroups and may make none ends with a sentence: 78", async () => {
  const runner = await fleet.addRunner();
  // A view of the host without them: who may make one, may make cgroups.
  const hide = 'umount -a -t cgroup2 2>/dev/null; exec "$@"';
  const hidden = ["unshare", "--mount", "sh", "-c", hide, "sh"] as const;
  const agent = await startAgentProcess({
    url: fleet.broker.url,
    env: { SVC_AGENT_TOKEN: runner.token },
    settings: { "job-cgroups": "on" },
    ...(powers.kill && { command: [...hidden, process.execPath, agentProgram] as const }),
  });
  expect(await agent.ended).toBe(78);
  expect(agent.said.err).toContain(
    "job-cgroups is on, but jobs cannot have cgroups on this host: ",
  );
});
