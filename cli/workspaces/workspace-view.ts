import type { Workspace, WorkspaceState } from "../../shared/api/terraform-workspaces.ts";
import { isFinal } from "../../shared/runner-job.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

/** A workspace as a line of a list. */
export const workspaceLine: View<Workspace> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    OWNER: ({ owner_id: owner }) => owner,
    REVISION: ({ revision }) => String(revision),
    SERIAL: ({ state }) => String(state?.serial ?? ""),
    HELD: ({ lock, block }) => (block === null ? (lock?.lock.who ?? "") : "blocked"),
    STATE: ({ state }) => (state === null ? "no state" : sizeText(state.size_bytes)),
    CHANGED: ({ updated_at: at }) => formatAge(at),
  },
};

/** A workspace by itself. */
export const workspaceDetails: View<Workspace> = {
  nameOf: ({ id }) => id,
  columns: {
    workspace: ({ id }) => id,
    owner: ({ owner_id: id, owner_type: type }) => [type, id].filter(Boolean).join(" "),
    state: ({ state }) => (state === null ? "none" : stateText(state)),
    "written by": ({ state }) => state?.runner_job_id ?? state?.created_by_id ?? "",
    lock: ({ lock }) => (lock === null ? "" : lock.lock.id),
    "held by": ({ lock }) => (lock === null ? "" : holderText(lock)),
    blocked: ({ block }) =>
      block === null ? "" : `${block.reason} (${block.kind}, ${formatInstant(block.blocked_at)})`,
    created: ({ created_at: at }) => formatInstant(at),
  },
};

/** A revision as a line of a list. */
export const stateLine: View<WorkspaceState> = {
  nameOf: ({ id }) => id,
  columns: {
    REVISION: ({ revision, is_current: is }) => `${revision}${is ? " (current)" : ""}`,
    SERIAL: ({ serial }) => String(serial ?? ""),
    SIZE: ({ size_bytes: bytes }) => sizeText(bytes),
    TERRAFORM: ({ terraform_version: version }) => version,
    BY: ({ runner_job_id: job, created_by_id: id }) => job ?? id,
    FROM: ({ rolled_back_from: from }) => (from === null ? "" : `rolled back to ${from}`),
    WRITTEN: ({ created_at: at }) => formatAge(at),
  },
};

function stateText({
  revision,
  serial,
  size_bytes: bytes,
  created_at: at,
}: WorkspaceState): string {
  const parts = [
    `revision ${revision}`,
    serial === null ? "" : `serial ${serial}`,
    sizeText(bytes),
  ];
  return `${parts.filter(Boolean).join(", ")}, ${formatInstant(at)}`;
}

function holderText({
  lock,
  runner_job_id: job,
  runner_job_status: status,
  created_at: at,
}: NonNullable<Workspace["lock"]>): string {
  const isOver = status !== null && isFinal(status);
  const who = [lock.who, lock.operation, job, isOver && `which is ${status}`]
    .filter(Boolean)
    .join(", ");
  return `${who}${lock.info && `: ${lock.info}`} (${formatInstant(at)})`;
}

/** A size as people say it. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${Math.round(kib)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}
