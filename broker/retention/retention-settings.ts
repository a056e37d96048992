import type { Retained } from "../../shared/retention.ts";
import { whole } from "../setting-schemas.ts";

/** How long a broker keeps what has ended. */
export const retentionSettings = {
  SVC_RETAIN_JOBS_DAYS: {
    schema: whole(1, 3650).default(90),
    doc: "Days after which an ended job is deleted with everything that belongs to it; an emitter that is done, too.",
  },
  SVC_RETAIN_SIGNALS_DAYS: {
    schema: whole(1, 3650).default(30),
    doc: "Days after which an ended signal is deleted, a dead one too.",
  },
  SVC_RETAIN_EVENTS_DAYS: {
    schema: whole(3, 3650).default(30),
    doc: "Days after which an event and its deliveries to webhooks are deleted; attempts go by whole days.",
  },
  SVC_RETAIN_BEATS_DAYS: {
    schema: whole(1, 3650).default(7),
    doc: "Days after which heartbeat minutes, health checks and ended processes are deleted.",
  },
  SVC_RETAIN_HISTORY_DAYS: {
    schema: whole(1, 3650).default(90),
    doc: "Days after which the status histories of runners, processes, shutdowns, queues and emitters are deleted.",
  },
  SVC_RETAIN_AUDIT_DAYS: {
    schema: whole(7, 3650).default(365),
    doc: "Days for which the audit log is kept; it is deleted by whole months.",
  },
  SVC_KEEP_STATE_REVISIONS: {
    schema: whole(0, 1_000_000).default(0),
    doc: "Number of newest state revisions that are kept per workspace; 0 keeps all.",
  },
  SVC_KEEP_BUILDS: {
    schema: whole(0, 10_000).default(10),
    doc: "Number of newest builds of each component, and of an app's sandbox, that are kept besides those that are needed (docs/registry.md); 0 keeps all.",
  },
} as const;

type RetainDays = Readonly<
  Record<"retainJobsDays" | "retainLogsDays" | "retainBeatsDays" | "retainAuditDays", number>
>;

/** For how many days the broker keeps what an org may keep for a shorter time. */
export function brokerDaysOf(config: RetainDays): Readonly<Record<Retained, number>> {
  return {
    jobs: config.retainJobsDays,
    logs: config.retainLogsDays,
    heart_beats: config.retainBeatsDays,
    health_checks: config.retainBeatsDays,
    audit: config.retainAuditDays,
  };
}
