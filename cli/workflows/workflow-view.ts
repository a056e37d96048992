import type { ShownStep, ShownWorkflow, WholeWorkflow } from "../../shared/api/workflow.ts";
import { formatDuration } from "../../shared/duration.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = ({ id }: { readonly id: string }): string => id;

export const workflowLine: View<ShownWorkflow> = {
  nameOf,
  columns: {
    ID: nameOf,
    NAME: ({ name }) => name,
    OWNER: ({ owner_name: name, owner_id: id }) => name || id,
    STATUS: ({ status: { status }, cancelling }) => (cancelling ? `${status}, cancelling` : status),
    TOOK: ({ execution_time: ns }) => durationOf(ns),
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

export const workflowDetails: View<WholeWorkflow> = {
  nameOf,
  columns: {
    workflow: nameOf,
    name: ({ name }) => name,
    type: ({ type, plan_only: isPlan }) => (isPlan ? `${type}, which only plans` : type),
    owner: ({ owner_name: name, owner_id: id }) => `${name} (${id})`,
    status: ({ status: { status, status_human_description: why } }) =>
      why === "" ? status : `${status}: ${why}`,
    parent: ({ parent }) => parent?.workflow_id ?? "",
    approval: ({ approval_option: option }) => option,
    created: ({ created_at }) => formatInstant(created_at),
    took: ({ execution_time: ns }) => durationOf(ns),
    error: ({ composite_error: error }) => error?.detail ?? "",
    steps: ({ steps }) => steps.map(stepLine).join("\n"),
  },
};

const marks: Readonly<Record<string, string>> = {
  pending: "·",
  "in-progress": "▸",
  "checking-plan": "▸",
  "approval-awaiting": "?",
  "failed-pending-retry": "✗",
  success: "✓",
  approved: "✓",
  "auto-skipped": "–",
  "user-skipped": "–",
};

/** A step in one line: how it is, its name, how long it took, and why. */
export function stepLine(step: ShownStep): string {
  const { status, status_human_description: why } = step.status;
  const mark = marks[status] ?? "✗";
  const time = step.started_at === null ? "" : durationOf(step.execution_time);
  const took = time === "" ? "" : ` ${time}`;
  const retry = step.retry_index === 0 ? "" : ` (try ${step.retry_index + 1})`;
  const words = why === "" ? "" : `: ${why}`;
  return `${mark} ${step.name}${retry}  ${status}${took}${words}`;
}

/** All of a workflow as lines: its steps as they are. */
export function workflowLines(workflow: WholeWorkflow): string[] {
  const head = `${workflow.name} (${workflow.owner_name}): ${workflow.status.status}`;
  const steps = workflow.steps.filter(({ retried }) => !retried);
  return [head, ...steps.map((step) => `  ${stepLine(step)}`)];
}

const secondNs = 1e9;

/** To a tenth of a second, and above a minute to a second. */
function durationOf(ns: number): string {
  if (ns === 0) return "";
  const grain = ns < 60 * secondNs ? secondNs / 10 : secondNs;
  return formatDuration(Math.max(grain, Math.round(ns / grain) * grain));
}
