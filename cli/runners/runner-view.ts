import type { RunnerProcess } from "../../shared/api/runner-process.ts";
import type { RunnerUpdate } from "../../shared/api/runner-updates.ts";
import type { Runner } from "../../shared/api/runner.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = (runner: Runner): string => runner.id;

/** A runner as a line of a list. */
export const runnerLine: View<Runner> = {
  nameOf,
  columns: {
    ID: nameOf,
    NAME: ({ name }) => name,
    STATUS: (runner) => (runner.pause === null ? runner.status : `${runner.status}, paused`),
    VERSION: ({ versions }) =>
      versions.is_behind ? versions.summary : versions.running.join(", "),
    WAITING: ({ queues }) => String(sum(queues.map(({ depth }) => depth))),
    RUNNING: ({ queues }) => String(sum(queues.map(({ in_flight: running }) => running))),
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

/** A runner by itself. */
export const runnerDetails: View<Runner> = {
  nameOf,
  columns: {
    runner: nameOf,
    name: ({ name, display_name: shown }) => (shown === "" ? name : `${name} (${shown})`),
    group: ({ runner_group_id: id }) => id,
    lifecycle: ({ lifecycle }) => lifecycle,
    status: ({ status, status_description: why }) => (why === "" ? status : `${status}: ${why}`),
    paused: ({ pause }) =>
      pause === null ? "" : `${pause.note} (until ${pause.until ?? "it is resumed"})`,
    version: ({ versions }) => versions.summary,
    update: ({ updates = [] }) => updates.slice(0, 1).map(updateText).join(""),
    warnings: ({ warnings }) => warnings.join("\n"),
    queues: ({ queues }) => queues.filter(isBusy).map(queueText).join("\n"),
    created: ({ created_at }) => formatInstant(created_at),
  },
};

type WithProcesses = Runner & {
  readonly processes: readonly RunnerProcess[];
  readonly hasMoreProcesses: boolean;
};

/** A runner with the newest of its processes that live, and where to see the others. */
export const runnerWithProcesses: View<WithProcesses> = {
  nameOf,
  columns: {
    ...runnerDetails.columns,
    processes: ({ id, processes, hasMoreProcesses }) =>
      [
        ...processes.filter(isLive).map(processText),
        ...(hasMoreProcesses ? [`and more: svc process list --runner ${id}`] : []),
      ].join("\n"),
  },
};

const isLive = ({ composite_status: { status } }: RunnerProcess): boolean =>
  status !== "inactive" && status !== "shut-down";

function processText({ id, type, version, composite_status, warnings }: RunnerProcess): string {
  const kind = `${type || "any"} ${version || "of no known version"}`;
  const head = `${id}: ${kind}, ${composite_status.status}`;
  return [head, ...warnings.map((warning) => `  ${warning}`)].join("\n");
}

/** "to 1.3.0: in-progress, by acc_…, until …: a fix" */
function updateText(update: RunnerUpdate): string {
  const { status, status_description: text, deadline_at: deadline, reason } = update;
  const until = deadline === null ? "" : `, until ${deadline}`;
  const head = `to ${update.version || update.image}: ${status}, by ${update.created_by_id}${until}`;
  return [reason === "" ? head : `${head}: ${reason}`, text]
    .filter((line) => line !== "")
    .join("\n");
}

type Queue = Runner["queues"][number];

const isBusy = ({ depth, in_flight: running, offered }: Queue): boolean =>
  depth > 0 || running > 0 || offered > 0;

function queueText({ name, depth, in_flight: running, slots, held }: Queue): string {
  const why = held === null ? "" : `, held: ${held}`;
  const room = slots === 1 ? "1 slot" : `${slots} slots`;
  return `${name || "(no group)"}: ${depth} waiting, ${running} running, ${room}${why}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
