import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentConfig } from "../config/read-config.ts";
import { openLog } from "../log.ts";
import { readPodJob } from "../pod-job/pod-job.ts";
import { runPodJob } from "../pod-job/run-pod-job.ts";
import { exitCodes, jobExitCode } from "../shutdown/exit-codes.ts";
import { removeAgentFolders } from "./remove-agent-folders.ts";

const signals = ["SIGTERM", "SIGINT", "SIGQUIT"] as const;
const usualLogLevel = "warn";

/**
 * Runs the job of a file that another process claimed, in a pod of `--executor kubernetes`. It writes only below
 * $TMPDIR and removes that at the end. The exit code says how the job ended.
 */
export async function runGivenJob(settings: AgentConfig, file: string): Promise<number> {
  const given = await readPodJob(file);
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), "svc-agent-run-job-"));
  const config = within(settings, folder);
  try {
    const done = await runPodJob({
      config,
      given,
      log: openLog(config.logLevel, process.stderr),
      onOutput: (text) => void process.stdout.write(text),
      hearSignals: (signal) => {
        for (const name of signals) process.on(name, () => signal(name));
      },
    });
    if (done === undefined) {
      tell("the job has already started or ended: nothing was done");
      return exitCodes["no-job"].code;
    }
    tell(`the job is ${done.status}`);
    if (done.isAllSent) return jobExitCode(done.status);
    tell("not everything could be delivered to the broker");
    return exitCodes.unreachable.code;
  } finally {
    await removeAgentFolders(config, tell);
  }
}

const tell = (line: string): void => void process.stderr.write(`svc-agent: ${line}\n`);

function within(settings: AgentConfig, folder: string): AgentConfig {
  const { sources, toolsDir } = settings;
  return {
    ...settings,
    dataDir: folder,
    workDir: path.join(folder, "work"),
    toolsDir: sources["tools-dir"] === "absent" ? path.join(folder, "tools") : toolsDir,
    logLevel: sources["log-level"] === "default" ? usualLogLevel : settings.logLevel,
  };
}
