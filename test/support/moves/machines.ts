import { emitterStatuses, emitterTransitions } from "../../../shared/queue-emitter.ts";
import { signalStatuses, signalTransitions } from "../../../shared/queue-signal.ts";
import { queueStatuses, queueTransitions } from "../../../shared/queue.ts";
import { rolloutStatuses, rolloutTransitions } from "../../../shared/rollout.ts";
import { executionStatuses, executionTransitions } from "../../../shared/runner-job-execution.ts";
import { runnerJobStatuses, runnerJobTransitions } from "../../../shared/runner-job.ts";
import {
  processStatuses,
  processTransitions,
  shutdownStatuses,
  shutdownTransitions,
} from "../../../shared/runner-process.ts";
import { workflowStepStatuses, workflowStepTransitions } from "../../../shared/workflow-step.ts";
import { workflowStatuses, workflowTransitions } from "../../../shared/workflow.ts";
import type { Machine } from "./draw-moves.ts";

export type Described = Machine & {
  /** Its function in SQL is called NAME_status_after. */
  readonly name: string;
  /** Tables whose checks together list its statuses. */
  readonly stored: readonly string[];
  readonly page: string;
  /** How the page's drawing and table are marked. */
  readonly marks: readonly [diagram: string, rows: string];
  /** Whether SQL has the beginning as a row, too. */
  readonly startIsMove?: boolean;
  /** Nothing ends it: it is deleted. */
  readonly hasNoLast?: boolean;
};

/** Everything that has statuses and a table of moves. */
export const machines: readonly Described[] = [
  {
    name: "job",
    statuses: runnerJobStatuses,
    table: runnerJobTransitions,
    start: { event: "enqueue", to: "queued" },
    startIsMove: true,
    stored: ["runner_job_live", "runner_job_ends"],
    page: "docs/runner-job.md",
    marks: ["diagram", "moves"],
  },
  {
    name: "execution",
    statuses: executionStatuses,
    table: executionTransitions,
    start: { event: "claim", to: "pending" },
    stored: ["runner_job_executions"],
    page: "docs/runner-job.md",
    marks: ["execution-diagram", "execution-moves"],
  },
  {
    name: "process",
    statuses: processStatuses,
    table: processTransitions,
    start: { event: "register", to: "pending" },
    stored: ["runner_processes"],
    page: "docs/runner-process.md",
    marks: ["process-diagram", "process-moves"],
  },
  {
    name: "shutdown",
    statuses: shutdownStatuses,
    table: shutdownTransitions,
    start: { event: "request", to: "requested" },
    stored: ["runner_process_shutdowns"],
    page: "docs/runner-process.md",
    marks: ["shutdown-diagram", "shutdown-moves"],
  },
  {
    name: "rollout",
    statuses: rolloutStatuses,
    table: rolloutTransitions,
    start: { event: "create", to: "requested" },
    stored: ["runner_rollouts"],
    page: "docs/runner-process.md",
    marks: ["rollout-diagram", "rollout-moves"],
  },
  {
    name: "queue",
    statuses: queueStatuses,
    table: queueTransitions,
    start: { event: "create", to: "active" },
    stored: ["queues"],
    page: "docs/queues.md",
    marks: ["queue-diagram", "queue-moves"],
    hasNoLast: true,
  },
  {
    name: "signal",
    statuses: signalStatuses,
    table: signalTransitions,
    start: { event: "enqueue", to: "queued" },
    startIsMove: true,
    stored: ["queue_signal_live", "queue_signal_ends"],
    page: "docs/queues.md",
    marks: ["signal-diagram", "signal-moves"],
  },
  {
    name: "emitter",
    statuses: emitterStatuses,
    table: emitterTransitions,
    start: { event: "create", to: "active" },
    stored: ["queue_emitters"],
    page: "docs/queues.md",
    marks: ["emitter-diagram", "emitter-moves"],
    hasNoLast: true,
  },
  {
    name: "workflow",
    statuses: workflowStatuses,
    table: workflowTransitions,
    start: { event: "create", to: "pending" },
    stored: ["workflows"],
    page: "docs/workflows.md",
    marks: ["workflow-diagram", "workflow-moves"],
  },
  {
    name: "workflow_step",
    statuses: workflowStepStatuses,
    table: workflowStepTransitions,
    start: { event: "generate", to: "pending" },
    stored: ["workflow_steps"],
    page: "docs/workflows.md",
    marks: ["step-diagram", "step-moves"],
  },
];
