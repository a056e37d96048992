import path from "node:path";
import type { AgentConfig } from "./config/read-config.ts";
import { type JobUsers, openJobUsers } from "./job-users/job-users.ts";
import { type EndBook, makeEndBook } from "./jobs/end-book.ts";
import type { Log } from "./log.ts";
import { openRunDir, type RunDir, runDirWish } from "./processes/open-run-dir.ts";
import { makeRoster, type Roster } from "./roster.ts";
import { openBallast } from "./spool/ballast.ts";
import { type LogSpools, openLogSpools } from "./spool/log-spools.ts";
import { openResultSpool, type ResultSpool } from "./spool/results.ts";

/** What an agent has of its own host: enough to look after jobs while no broker is to be had. */
export type AgentGround = {
  readonly config: AgentConfig;
  readonly log: Log;
  /** The executions that it holds. */
  readonly roster: Roster;
  /** How jobs ended here. */
  readonly ends: EndBook;
  /** Results wait here until the broker has them; put one, then call `deliver`. */
  readonly results: ResultSpool;
  /** Logs wait here until the broker has them. */
  readonly logSpools: LogSpools;
  readonly runDir: RunDir;
  /** Whom jobs run as. */
  readonly jobUsers: JobUsers;
};

/** Opens what is on disk. */
export async function openGround(config: AgentConfig, log: Log): Promise<AgentGround> {
  const [results, logSpools, runDir, jobUsers] = await Promise.all([
    openResultSpool({
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
  ]);
  return {
    config,
    log,
    roster: makeRoster(),
    ends: makeEndBook(),
    results,
    logSpools,
    runDir,
    jobUsers,
  };
}
