import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { version as ownVersion } from "../../../shared/version.ts";
import type { AgentConfig } from "../../config/read-config.ts";
import {
  isRunning,
  type ProcessIdentity,
  readStat,
  signalProcess,
} from "../../processes/process-identity.ts";
import { type Driver, type Nudge, Refusal } from "../driver.ts";
import { type Managed, findManaged, managedBy } from "../find-managed.ts";
import { processIdIn } from "../process-id.ts";
import type { Versions } from "../versions.ts";
import { namedVersion, wantedVersion } from "../wanted-version.ts";

type Run = Managed & {
  /** Set when it ended as a child of this process. */
  exitCode?: number;
};

const signals: Readonly<Record<Nudge, NodeJS.Signals>> = {
  finish: "SIGUSR2",
  stop: "SIGTERM",
  kill: "SIGKILL",
};

/**
 * The agent as a child that outlives this process: killed or restarted, it finds the agent again by the mark in its
 * environment.
 */
export function childDriver(config: AgentConfig, versions: Versions, onEnd: () => void): Driver {
  const owner = hash("sha256", config.dataDir).slice(0, 16);
  const args = ["start", "--config", config.mngAgentConfig];
  let run: Run | undefined;

  async function found(): Promise<Run | undefined> {
    if (run !== undefined && (run.exitCode !== undefined || isRunning(run))) return run;
    run = await findManaged(owner, args);
    return run;
  }

  async function start(release: string): Promise<void> {
    const command = await versions.commandOf(release);
    if (command === undefined) throw new Refusal(`Version ${release} is not in ${versions.dir}.`);
    const [program = "", ...first] = command;
    run = undefined; // how the former one ended says nothing about this one
    const child = spawn(program, [...first, ...args], {
      env: { ...config.env, [managedBy]: `${owner}:${release}` },
      cwd: "/",
      // A group of its own: a signal from the terminal is this process's alone.
      detached: true,
      // Not a pipe of this process: the agent would end with it.
      stdio: ["ignore", "inherit", "inherit"],
    });
    await once(child, "spawn");
    const identity: ProcessIdentity = readStat(child.pid ?? 0) ?? {
      pid: child.pid ?? 0,
      startTime: "",
    };
    const begun: Run = { ...identity, release };
    run = begun;
    child.once("exit", (code, signal) => {
      begun.exitCode = code ?? (signal === "SIGTERM" ? 143 : 128);
      onEnd();
    });
    child.unref();
  }

  return {
    name: "child",
    wanted: wantedVersion,
    named: namedVersion,
    versionOf: (release) => release || ownVersion,
    prepare: versions.prepare,
    async look() {
      const seen = await found();
      if (seen === undefined) return { isRunning: false };
      if (seen.exitCode !== undefined) return { isRunning: false, exitCode: seen.exitCode };
      return { isRunning: true, key: `${seen.pid} ${seen.startTime}`, release: seen.release };
    },
    start,
    async nudge(how) {
      const seen = await found();
      if (seen !== undefined && seen.exitCode === undefined) signalProcess(seen, signals[how]);
    },
    processId: async () => await processIdIn(config.mngAgentDataDir),
  };
}
