import type { RunnerProcess } from "../../shared/api/runner-process.ts";
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
    warnings: ({ warnings }) => warnings.join("\n"),
    queues: ({ queues }) => queues.filter(isBusy).map(queueText).join("\n"),
    created: ({ created_at }) => formatInstant(created_at),
  },
};

/** A runner with those of its processes that live. */
export const runnerWithProcesses: View<Runner & { readonly processes: readonly RunnerProcess[] }> =
  {
    nameOf,
    columns: {
      ...runnerDetails.columns,
      processes: ({ processes }) => processes.filter(isLive).map(processText).join("\n"),
    },
  };

const isLive = ({ composite_status: { status } }: RunnerProcess): boolean =>
  status !== "inactive" && status !== "shut-down";

function processText({ id, type, version, composite_status, warnings }: RunnerProcess): string {
  const kind = `${type || "any"} ${version || "of no known version"}`;
  const head = `${id}: ${kind}, ${composite_status.status}`;
  return [head, ...warnings.map((warning) => `  ${warning}`)].join("\n");
}

type Queue = Runner["queues"][number];

const isBusy = ({ depth, in_flight: running, offered }: Queue): boolean =>
  depth > 0 || running > 0 || offered > 0;

function queueText({ name, depth, in_flight: running, slots, held }: Queue): string {
  const why = held === null ? "" : `, held: ${held}`;
  return `${name || "(no group)"}: ${depth} waiting, ${running} running, ${slots} slots${why}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
