import { chmod, mkdir } from "node:fs/promises";
import { Refused, Unanswered } from "./client/broker-errors.ts";
import type { AgentConfig } from "./config/read-config.ts";
import { connectToBroker } from "./connect-to-broker.ts";
import { ExitError } from "./exit-error.ts";
import { memoryFolder } from "./hide-token.ts";
import { layersFolder } from "./image-builds/image-folder.ts";
import { sweepLayers } from "./image-builds/sweep-layers.ts";
import { missingBounds } from "./job-cgroups/job-cgroups.ts";
import { type LocalContext, openLocalContext } from "./local-context.ts";
import type { Log } from "./log.ts";
import type { Management } from "./mng/management.ts";
import { brokerLinkOf } from "./mng/open-management.ts";
import type { OneJob } from "./one-job.ts";
import { openExecutor } from "./open-executor.ts";
import { takeDataDir } from "./paths/data-dir.ts";
import { withOwnProgram } from "./paths/own-program.ts";
import { sweepPassedTokens } from "./paths/sweep-passed-tokens.ts";
import { unusablePath } from "./paths/unusable-path.ts";
import { type AgentStart, runAgent } from "./run-agent.ts";
import { exitCodes } from "./shutdown/exit-codes.ts";
import { drain, stopAll } from "./shutdown/shut-down.ts";
import { type ShutdownState, makeShutdownState } from "./shutdown/shutdown-state.ts";
import { type AgentSignal, makeSignalHandler } from "./shutdown/signal-handler.ts";
import type { AgentStatus } from "./status/agent-status.ts";
import { openStatusServer, type StatusServer } from "./status/status-server.ts";

export type StartedAgent = {
  readonly processId: () => string;
  readonly status: () => AgentStatus;
  /** The URL of the status server; null when there is none. */
  readonly watchUrl: string | null;
  /** Handles the signal as if the process had received it. */
  readonly signal: (name: AgentSignal) => void;
  /** Resolves with the exit code after an orderly shutdown. */
  readonly gone: Promise<number>;
};

export type StartOptions = {
  readonly oneJob?: OneJob;
  /** Of `svc-agent mng`: begins to look after the install agent of this host, before a broker answers. */
  readonly openManagement?: (config: AgentConfig, log: Log) => Promise<Management>;
};

/**
 * Starts an agent: locks its data directory, supervises what an earlier process left running, obtains its token,
 * registers, and works until it is told to stop, or for one job.
 */
export async function startAgent(
  given: AgentConfig,
  log: Log,
  onSignalHandler: (signal: StartedAgent["signal"]) => void = () => {},
  { oneJob, openManagement }: StartOptions = {},
): Promise<StartedAgent> {
  const shutdown = makeShutdownState();
  const signal = makeSignalHandler(given, shutdown);
  onSignalHandler(signal);
  // Jobs of the managed agent pass through it to the program of its version.
  const isEntered = given.jobUser !== undefined || openManagement !== undefined;
  const dataDir = await takeDataDir(given.dataDir, isEntered);
  let watch: StatusServer | undefined;
  let management: Management | undefined;
  try {
    for (const warning of given.warnings) log.warn(warning);
    watch = await openStatusServer(given, log);
    const config = await furnish(given);
    const swept = await sweepPassedTokens(memoryFolder());
    if (swept > 0) log.warn({ swept }, "tokens left in memory by killed agents were removed");
    management = await openManagement?.(config, log);
    const { agent, gone } = await runAgent({
      ...(await prepare(config, { log, shutdown, management })),
      oneJob,
      watch,
    });
    await dataDir.announce(agent.watchUrl);
    const released = gone.then(async (leaving) => {
      await management?.close();
      await dataDir.release();
      log.info({ exit: leaving.exit, why: leaving.why }, "gone");
      return exitCodes[leaving.exit].code;
    });
    return { ...agent, signal, gone: released };
  } catch (error) {
    watch?.close();
    await management?.close();
    await dataDir.release();
    throw error;
  }
}

/** Makes the configured directories and puts this program on the PATH of jobs. */
async function furnish(given: AgentConfig): Promise<AgentConfig> {
  const { dataDir, workDir, jobUser } = given;
  await mkdir(workDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unusablePath(error, "work directory", workDir);
  });
  if (jobUser !== undefined) await chmod(workDir, 0o711); // jobs pass through it to their own folders
  return await withOwnProgram(given).catch((error: unknown) => {
    throw unusablePath(error, "data directory", dataDir);
  });
}

type Preparing = {
  readonly log: Log;
  readonly shutdown: ShutdownState;
  readonly management: Management | undefined;
};

/** Prepares everything that the loops need; meanwhile jobs of earlier processes are supervised. */
async function prepare(
  config: AgentConfig,
  { log, shutdown, management }: Preparing,
): Promise<Omit<AgentStart, "watch">> {
  const opened = await openLocalContext(config, log).catch((error: unknown) => {
    throw unusablePath(error, "data directory", config.dataDir);
  });
  const local: LocalContext = { ...opened, management };
  await local.jobUsers.assertEnter([config.workDir, local.runDir.path]);
  tellPowers(local);
  const layers = layersFolder(config.dataDir);
  await sweepLayers(layers, config.buildCache).catch((error: unknown) =>
    log.warn({ err: error, layers }, "layers of images are not all removed"),
  );
  const quit = new AbortController();
  const drained = drain(local, shutdown).finally(() => quit.abort());
  const executor = await openExecutor(local, shutdown);
  await executor.resume().catch(async (error: unknown) => {
    await executor.close?.();
    throw error;
  });
  try {
    const connection = await connectToBroker(local, shutdown, quit.signal);
    management?.connect(brokerLinkOf(connection, local));
    return { local: local, connection, executor, shutdown, drained };
  } catch (error) {
    local.results.close();
    const isTold = error instanceof Refused || !shutdown.isRequested();
    const why = isTold ? explained(error) : leftEarly(shutdown);
    await leaveEarly(local, shutdown, why);
    await executor.close?.();
    await local.jobCgroups.close();
    throw why;
  }
}

/** Opens the cgroups of jobs and warns of configured limits that cannot be enforced. */
function tellPowers({ config, log, jobCgroups: { powers } }: LocalContext): void {
  const { kill, memory, pids, words } = powers;
  const missing = missingBounds(config, powers);
  if (missing.length > 0)
    log.warn({ missing, why: words }, "jobs run without the configured limits");
  else log.debug({ kill, memory, pids, ...(words !== "" && { why: words }) }, "cgroups of jobs");
}

/** An exit code that leads to a restart keeps running jobs supervised; any other ends them. */
async function leaveEarly(
  local: LocalContext,
  shutdown: ShutdownState,
  why: unknown,
): Promise<void> {
  const isFinal = why instanceof ExitError && ["unauthorized", "config"].includes(why.exit);
  if (isFinal) shutdown.request({ urgency: "stopping", exit: why.exit, why: why.message });
  if (shutdown.isRequested()) await stopAll(local, shutdown);
}

function explained(error: unknown): unknown {
  if (error instanceof Unanswered) {
    return new ExitError("unreachable", `The broker cannot be reached: ${error.message}`, error);
  }
  if (!(error instanceof Refused)) return error;
  const exit = error.what === "unauthorized" ? "unauthorized" : "config";
  return new ExitError(exit, `The broker refuses this agent: ${error.message}`, error);
}

/** A shutdown was requested during the start: no new job had begun. */
function leftEarly(shutdown: ShutdownState): ExitError {
  const leaving = shutdown.current();
  return new ExitError(
    leaving?.exit ?? "done",
    `The agent stopped while it was starting: ${leaving?.why}`,
  );
}
