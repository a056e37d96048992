import { deleteOldAudit, endLostActs } from "./audit.ts";
import { mergeLogChunks } from "./merge-log-chunks.ts";
import { reconcileRoles } from "./reconcile-roles.ts";
import { reseal } from "./reseal.ts";
import {
  deleteArtifacts,
  deleteByOrg,
  deleteOldBeats,
  deleteOldBuilds,
  deleteOldEvents,
  deleteOldHistory,
  deleteOldJobs,
  deleteOldLogs,
  deleteOldSignals,
  deleteOldStats,
  deleteOldTelemetry,
  tidyStates,
} from "./retention.ts";
import { rollUpBeats, tallyJobEnds } from "./roll-ups.ts";
import { runnerInactive } from "./runner-inactive.ts";
import type { Task } from "./task.ts";

type Row = {
  readonly task: Task;
  /** Its schedule (UTC); without one it runs only when a statement enqueues it. */
  readonly cron?: string;
};

/** Every task by its name in the database. */
export const tasks: Readonly<Record<string, Row>> = {
  "tally-job-ends": { task: tallyJobEnds }, // older brokers schedule it
  "roll-up-beats": { task: rollUpBeats, cron: "* * * * *" },
  "delete-old-jobs": { task: deleteOldJobs, cron: "7 * * * *" },
  "delete-old-builds": { task: deleteOldBuilds, cron: "22 * * * *" },
  "delete-artifacts": { task: deleteArtifacts, cron: "*/10 * * * *" },
  "delete-old-signals": { task: deleteOldSignals, cron: "57 * * * *" },
  "delete-old-events": { task: deleteOldEvents, cron: "32 * * * *" },
  "delete-old-beats": { task: deleteOldBeats, cron: "17 * * * *" },
  "delete-old-logs": { task: deleteOldLogs, cron: "37 * * * *" },
  "merge-log-chunks": { task: mergeLogChunks, cron: "47 * * * *" },
  "delete-old-history": { task: deleteOldHistory, cron: "27 * * * *" },
  "delete-old-stats": { task: deleteOldStats, cron: "12 * * * *" },
  "delete-by-org": { task: deleteByOrg, cron: "2 * * * *" },
  "delete-old-telemetry": { task: deleteOldTelemetry, cron: "37 * * * *" },
  "delete-old-audit": { task: deleteOldAudit, cron: "12 * * * *" },
  "end-lost-acts": { task: endLostActs, cron: "* * * * *" },
  "tidy-states": { task: tidyStates, cron: "*/10 * * * *" },
  "reconcile-roles": { task: reconcileRoles, cron: "*/10 * * * *" },
  "seal-anew": { task: reseal, cron: "*/15 * * * *" },
  "runner-inactive": { task: runnerInactive },
};
