import path from "node:path";
import type { AgentConfig } from "./config/read-config.ts";
import { type HeldClaims, makeHeldClaims } from "./executor/held-claims.ts";
import { type JobCgroups, openJobCgroups } from "./job-cgroups/job-cgroups.ts";
import { type JobUsers, openJobUsers } from "./job-users/job-users.ts";
import { type JobMetrics, makeJobMetrics } from "./jobs/job-metrics.ts";
import type { Log } from "./log.ts";
import type { Management } from "./mng/management.ts";
import { openRunDir, type RunDir, runDirWish } from "./processes/open-run-dir.ts";
import { makeRunningJobs, type RunningJobs } from "./running-jobs.ts";
import { openBallast } from "./spool/ballast.ts";
import { type LogSpools, openLogSpools } from "./spool/log-spools.ts";
import { openRescuedStates, type RescuedStates } from "./spool/rescued-states.ts";
import { openResultOutbox, type ResultOutbox } from "./spool/result-outbox.ts";

/** What an agent has on its own host: enough to supervise jobs while no broker is reachable. */
export type LocalContext = {
  readonly config: AgentConfig;
  readonly log: Log;
  /** The executions that it holds. */
  readonly runningJobs: RunningJobs;
  /** Counts how jobs ended here. */
  readonly jobMetrics: JobMetrics;
  /** Results wait here until the broker has them; put one, then call `deliver`. */
  readonly results: ResultOutbox;
  /** Terraform states that could not be saved wait here until the broker has them. */
  readonly rescued: RescuedStates;
  /** Logs wait here until the broker has them. */
  readonly logSpools: LogSpools;
  readonly runDir: RunDir;
  /** The operating system users that jobs run as. */
  readonly jobUsers: JobUsers;
  /** The cgroups that hold all processes of a job. */
  readonly jobCgroups: JobCgroups;
  /** Whether claims are held back because the cluster cannot start pods. */
  readonly heldClaims: HeldClaims;
  /** Keeps the agent's identity outside of its disk, where the disk does not survive a restart. */
  readonly keptState: KeptState;
  /** Of `svc-agent mng`: what looks after the install agent of this host. */
  readonly management?: Management | undefined;
};

/**
 * Copies the agent's own state from the data directory to where a start with an empty one finds it. Never rejects.
 */
export type KeptState = {
  /** Tries to copy; failures are retried in the background. */
  keep: () => Promise<void>;
  /** Resolves true when everything is copied; false when the signal aborts first. */
  untilKept: (signal: AbortSignal) => Promise<boolean>;
};

/** Opens what is on disk. */
export async function openLocalContext(config: AgentConfig, log: Log): Promise<LocalContext> {
  const [results, logSpools, runDir, jobUsers, jobCgroups] = await Promise.all([
    openResultOutbox({
      dir: path.join(config.dataDir, "results"),
      log,
      ballast: await openBallast(config.dataDir),
    }),
    openLogSpools({
      dir: path.join(config.dataDir, "logs"),
      log,
      maxBytesPerJob: config.logSpoolPerJob,
      maxBytes: config.logSpool,
    }),
    openRunDir(runDirWish(config)),
    openJobUsers({ range: config.jobUser, dataDir: config.dataDir }),
    openJobCgroups(config),
  ]);
  return {
    config,
    log,
    runningJobs: makeRunningJobs(),
    jobMetrics: makeJobMetrics(),
    results,
    rescued: openRescuedStates(path.join(config.dataDir, "rescued"), log),
    logSpools,
    runDir,
    jobUsers,
    jobCgroups,
    heldClaims: makeHeldClaims(),
    keptState: { keep: async () => {}, untilKept: async () => await Promise.resolve(true) },
  };
}
