import type { RunnerStatus } from "./api/runner.ts";
import type { SignalStatus } from "./queue-signal.ts";
import type { QueueStatus } from "./queue.ts";
import type { RunnerJobStatus } from "./runner-job.ts";
import type { ProcessStatus, ShutdownStatus } from "./runner-process.ts";

/** The words that clients of the API know in a composite status. */
export const theirStatuses = [
  "active",
  "applying",
  "approval-awaiting",
  "approval-denied",
  "approval-expired",
  "approval-retry",
  "approved",
  "auto-skipped",
  "awaiting-user-run",
  "building",
  "cancelled",
  "checking-plan",
  "deleting",
  "discarded",
  "drifted",
  "error",
  "expired",
  "failed-pending-retry",
  "generating",
  "in-progress",
  "noop",
  "not-attempted",
  "no-drift",
  "outdated",
  "pending",
  "planning",
  "provisioning",
  "queued",
  "retrying",
  "success",
  "user-skipped",
  "warning",
] as const;
type TheirStatus = (typeof theirStatuses)[number];

/** Words of ours that are none of theirs. */
type OurStatus = Exclude<
  | RunnerJobStatus
  | SignalStatus
  | ProcessStatus
  | ShutdownStatus
  | QueueStatus
  | RunnerStatus
  | "cleaning-up"
  | "initializing"
  | "syncing",
  TheirStatus
>;

/** What clients that know no other words are told in place of ours: of an end whether it was good, of all else whether it is under way. */
const inTheirWords: Readonly<Record<OurStatus, TheirStatus>> = {
  available: "queued",
  "awaiting-heartbeat": "pending",
  "awaiting-install-stack-run": "awaiting-user-run",
  "cleaning-up": "in-progress",
  completed: "success",
  dead: "error",
  deprovisioned: "success",
  deprovisioning: "in-progress",
  disabled: "warning",
  failed: "error",
  finished: "success",
  idle: "active",
  "in-flight": "in-progress",
  inactive: "warning",
  initializing: "in-progress",
  offline: "warning",
  paused: "warning",
  "pending-shutdown": "in-progress",
  reprovisioning: "provisioning",
  requested: "pending",
  "shut-down": "success",
  "shutting-down": "in-progress",
  syncing: "in-progress",
  "timed-out": "error",
  unknown: "warning",
};

/** A composite status's word as clients of the API know it; one that nobody told of is a warning. */
export function toTheirStatus(status: string): TheirStatus {
  const same = theirStatuses.find((one) => one === status);
  if (same !== undefined) return same;
  return Object.hasOwn(inTheirWords, status) ? inTheirWords[status as OurStatus] : "warning";
}
