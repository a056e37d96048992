import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseDuration } from "../../shared/duration.ts";
import { defaultServes } from "../../shared/process-groups.ts";
import { parseToken } from "../../shared/token.ts";
import { findToken } from "../client/obtain-token.ts";
import type { GroupSlots } from "../config/parsers.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { openLog } from "../log.ts";
import type { JobEnd, OneJob } from "../one-job.ts";
import { exitCodes, jobExitCode } from "../shutdown/exit-codes.ts";
import { startAgent, type StartedAgent } from "../start-agent.ts";
import type { CommandCall } from "./agent-command.ts";
import { removeAgentFolders } from "./remove-agent-folders.ts";
import { runGivenJob } from "./run-given-job.ts";

const signals = ["SIGTERM", "SIGINT", "SIGQUIT"] as const;
const usualLogLevel = "warn";

const tell = (line: string): void => void process.stderr.write(`svc-agent: ${line}\n`);

type RunJobCall = Pick<CommandCall, "readConfig"> & {
  readonly flags: { readonly wait: string | undefined; readonly "job-file": string | undefined };
};

/**
 * Runs one job in the foreground, as an agent beside others of this host. Its log goes to standard output, and the
 * exit code says how the job ended. Its data is removed afterwards, unless something could not be delivered.
 */
export async function runOneJob({ readConfig, flags }: RunJobCall): Promise<number> {
  const given = readConfig();
  const file = flags["job-file"];
  if (file !== undefined) {
    if (flags.wait !== undefined)
      throw new ExitError("usage", "--wait cannot be used together with --job-file.");
    return await runGivenJob(given, file);
  }
  const waitMs = readWait(flags.wait);
  const token = await tokenOf(given);
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), "svc-agent-run-job-"));
  const config = aside(given, folder, token);
  let isAllSent = true;
  try {
    const { code, end, agent } = await runToItsEnd(config, waitMs);
    const { results, log_bytes } = agent.status().waiting;
    isAllSent = results === 0 && log_bytes === 0;
    if (code === exitCodes["no-job"].code) tell(`no job came within ${flags.wait ?? ""}`);
    if (end !== undefined) tell(`the job is ${end.status}${words(end.description)}`);
    return code !== 0 || end === undefined ? code : jobExitCode(end.status);
  } finally {
    if (isAllSent) await removeAgentFolders(config, tell);
    else tell(`not everything was sent; svc-agent start --data-dir ${folder} sends what is left`);
  }
}

type Run = {
  readonly code: number;
  readonly end: JobEnd | undefined;
  readonly agent: StartedAgent;
};

async function runToItsEnd(config: AgentConfig, waitMs: number | undefined): Promise<Run> {
  let jobId: string | undefined;
  let end: JobEnd | undefined;
  const one: OneJob = {
    waitMs,
    onOutput: (text) => void process.stdout.write(text),
    onJob: (id) => tell(`the job is ${(jobId = id)}`),
    onEnd: (told) => (end = told),
  };
  const log = openLog(config.logLevel, process.stderr);
  const agent = await startAgent(config, log, hearSignals, { oneJob: one });
  const code = await agent.gone;
  if (code === 0 && jobId !== undefined && end === undefined) {
    throw new ExitError("unreachable", `The broker did not report how ${jobId} ended.`);
  }
  return { code, end, agent };
}

function hearSignals(signal: StartedAgent["signal"]): void {
  for (const name of signals) process.on(name, () => signal(name));
}

/** The same settings with directories of this run only, because a running agent uses the configured ones. */
function aside(given: AgentConfig, folder: string, token: string): AgentConfig {
  const { sources } = given;
  const logLevel = sources["log-level"] === "default" ? usualLogLevel : given.logLevel;
  return {
    ...given,
    dataDir: folder,
    workDir: path.join(folder, "work"),
    groups: oneEach(given),
    tokenFile: undefined,
    token,
    logLevel,
    watchPort: sources["watch-port"] === "default" ? 0 : given.watchPort,
    sources: { ...sources, "log-level": "flag" },
  };
}

/** One slot for each group, because it runs only one job. */
function oneEach({ groups, mode }: AgentConfig): GroupSlots {
  const served = Object.keys(groups ?? defaultServes(mode, true) ?? {});
  return Object.fromEntries(served.map((group) => [group, 1]));
}

async function tokenOf(config: AgentConfig): Promise<string> {
  const token = await findToken(config);
  if (token === undefined) throw new ExitError("config", "No token: set --token-file.");
  if (parseToken(token)?.kind !== "boot") return token;
  const advice = "give a runner's token, or the data directory of an agent that has enrolled";
  throw new ExitError("config", `A one-shot token would be spent for one job: ${advice}.`);
}

function readWait(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ns = text === "0" ? 0 : parseDuration(text);
  if (ns === undefined) throw new ExitError("usage", "--wait must be a duration like 30s.");
  return ns / 1e6;
}

const words = (description: string): string => (description === "" ? "" : `: ${description}`);
