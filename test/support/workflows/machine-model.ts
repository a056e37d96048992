import { advanceWorkflow } from "../../../broker/workflows/machine/advance-workflow.ts";
import { cancelOpenStep, settleCancel } from "../../../broker/workflows/machine/cancel-workflow.ts";
import type { EventDraft } from "../../../broker/workflows/machine/event-draft.ts";
import { resumeWorkflow, retryStep, skipStep } from "../../../broker/workflows/machine/redo.ts";
import { respond, setApprovalOption } from "../../../broker/workflows/machine/respond.ts";
import type { Machine } from "../../../broker/workflows/machine/step-kind.ts";
import { type NewId, WorkflowDraft } from "../../../broker/workflows/machine/workflow-draft.ts";
import type { Step, StepJob } from "../../../broker/workflows/machine/workflow-rows.ts";
import type { WorkflowSnapshot } from "../../../broker/workflows/machine/workflow-snapshot.ts";
import { Problem } from "../../../shared/problem.ts";
import { isFinal, type RunnerJobStatus } from "../../../shared/runner-job.ts";
import { isFinishedWorkflow } from "../../../shared/workflow.ts";
import { type DeployWish, isDeployWish } from "./deploy-wishes.ts";
import { firstSnapshot } from "./first-snapshot.ts";
import { kindsOfGroups, type ModelGroup, type ModelKinds } from "./model-groups.ts";
import { begunOutside, placeAfter } from "./model-place.ts";
import type { Wish } from "./model-wishes.ts";

const approveAll = { option: "approve-all", byId: "acc_1", chain: ["acc_1"] } as const;

export type Model = {
  snapshot: WorkflowSnapshot;
  readonly events: EventDraft[];
  /** Steps that ended while their job might still run. */
  readonly endedEarly: string[];
  /** Steps that began while the workflow had no place in its lane. */
  readonly beganOutside: string[];
  /** How often it gave its place back. */
  yields: number;
};

const startMs = Date.parse("2026-01-01T00:00:00Z");

/** Walks the machine through these wishes, looking twice after each; a wish that is refused changes nothing. */
export function walk(
  groups: readonly ModelGroup[] | ModelKinds,
  wishes: readonly (Wish | DeployWish)[],
  {
    toTheEnd = false,
    lane = "changes",
  }: { readonly toTheEnd?: boolean; readonly lane?: string } = {},
): Model {
  const world = new World("kindOf" in groups ? groups : kindsOfGroups(groups), lane);
  for (const wish of wishes) {
    world.try(wish);
    world.look();
    world.look(); // a wake that came twice finds nothing to do
  }
  if (toTheEnd) world.finish();
  return world;
}

class World implements Model {
  snapshot: WorkflowSnapshot;
  readonly events: EventDraft[] = [];
  readonly endedEarly: string[] = [];
  readonly beganOutside: string[] = [];
  yields = 0;
  readonly #kinds: ModelKinds;
  #n = 0;
  #nowMs = startMs;
  #isOn = new Set<string>();
  readonly #jobs = new Map<string, RunnerJobStatus>();
  readonly #stopping = new Set<string>();

  constructor(kinds: ModelKinds, lane: string) {
    this.#kinds = kinds;
    this.snapshot = { ...firstSnapshot(startMs), lane };
  }

  readonly #newId: NewId = (prefix) => `${prefix}_${String(++this.#n).padStart(26, "0")}`;

  try(wish: Wish | DeployWish): void {
    if (isDeployWish(wish)) this.#kinds.wish?.(wish);
    else if (wish === "turn") {
      if (this.snapshot.signal_status === "queued")
        this.snapshot = { ...this.snapshot, signal_status: "in-flight" };
    } else if (wish === "hours") this.#nowMs += 3_600_000;
    else if (wish === "days") this.#nowMs += 40 * 24 * 3_600_000;
    else if (wish === "condition") this.#isOn = new Set(this.#open().map(({ id }) => id));
    else if (wish === "job-stopped") this.#stopping.clear();
    else if (wish.startsWith("job-")) this.#endJob(wish.slice(4) as RunnerJobStatus);
    else if (wish !== "look") this.#command(wish);
  }

  /** One look, as the task of brokers takes it. */
  look(): void {
    const draft = this.#draft();
    advanceWorkflow(draft, this.#machine);
    this.#keep(draft);
    if (draft.workflow.is_cancelling)
      for (const { job_id: id } of this.#open())
        if (id !== null && !isFinal(this.#jobs.get(id) ?? "cancelled"))
          this.#setJob(id, "cancelled");
  }

  /** Lets everything come that it may wait for, and approves. */
  finish(): void {
    for (let n = 0; n < 400 && !isFinishedWorkflow(this.snapshot.workflow.status); n++) {
      for (const wish of [
        "turn",
        "job-finished",
        "job-stopped",
        "condition",
        "approve",
        "hours",
      ] as const) {
        this.try(wish);
        this.look();
      }
      if (n > 20) this.try("skip");
      if (n > 40) this.try("days");
      this.look();
    }
  }

  #open(): Step[] {
    return this.snapshot.steps.filter(({ status }) => status === "in-progress");
  }

  #endJob(status: RunnerJobStatus): void {
    const step = this.#open().find(
      ({ job_id: id }) => id !== null && !isFinal(this.#jobs.get(id) ?? "finished"),
    );
    if (step?.job_id != null) this.#setJob(step.job_id, status);
  }

  /** A job that is cancelled has ended, but its machine may be at it still. */
  #setJob(id: string, status: RunnerJobStatus): void {
    this.#jobs.set(id, status);
    if (status === "cancelled") this.#stopping.add(id);
  }

  #draft(): WorkflowDraft {
    const jobs = this.snapshot.steps.flatMap(({ job_id: id }): StepJob[] =>
      id === null
        ? []
        : [
            {
              id,
              status: this.#jobs.get(id) ?? "finished",
              status_description: "",
              clock: null,
              is_stopping: this.#stopping.has(id),
              composite_error: null,
              class: null,
            },
          ],
    );
    const now = new Date(++this.#nowMs).toISOString();
    const things = { actions: new Map() };
    const snapshot = { ...this.snapshot, ...this.#kinds.more?.(), now, jobs };
    return new WorkflowDraft(snapshot, { newId: this.#newId, things });
  }

  #command(wish: Wish): void {
    const draft = this.#draft();
    try {
      this.#act(draft, wish);
    } catch (error) {
      if (error instanceof Problem) return;
      throw error;
    }
    this.#keep(draft);
  }

  #act(draft: WorkflowDraft, wish: Wish): void {
    const at = (status: Step["status"]) => draft.steps.find((one) => one.status === status);
    const [waiting, failed] = [at("approval-awaiting"), at("failed-pending-retry")];
    const types = {
      approve: "approve",
      deny: "deny",
      "deny-skip-current": "deny-skip-current",
      replan: "retry",
    } as const;
    if (wish in types && waiting !== undefined)
      respond(draft, this.#machine, {
        step: waiting,
        response: { type: types[wish as keyof typeof types], note: "", byId: "acc_1" },
      });
    else if (wish === "retry" && failed !== undefined) retryStep(draft, failed);
    else if (wish === "skip" && failed !== undefined) skipStep(draft, failed);
    else if (wish === "resume") resumeWorkflow(draft);
    else if (isFinishedWorkflow(draft.workflow.status)) return;
    else if (wish === "approve-all") setApprovalOption(draft, this.#machine, approveAll);
    else if (wish === "cancel") {
      draft.workflow.is_cancelling = true;
      settleCancel(draft, this.#machine);
    } else this.#cancelStep(draft, wish);
  }

  #cancelStep(draft: WorkflowDraft, wish: Wish): void {
    const last = (...statuses: Step["status"][]) =>
      draft.steps.findLast(({ status }) => statuses.includes(status));
    const steps: { readonly [one in Wish]?: Step | undefined } = {
      "cancel-step": last("approval-awaiting", "in-progress"),
      "cancel-failed": last("failed-pending-retry"),
      "cancel-pending": last("pending"),
    };
    const step = steps[wish];
    if (step === undefined) return;
    for (const id of cancelOpenStep(draft, this.#machine, step)) this.#setJob(id, "cancelled");
  }

  #keep(draft: WorkflowDraft): void {
    for (const { id } of draft.newJobs) this.#jobs.set(id, "available");
    this.events.push(...draft.events);
    for (const { job_id: id, status } of draft.steps)
      if (id !== null && this.#stopping.has(id) && status !== "in-progress")
        this.endedEarly.push(id);
    const { workflow, runs, groups, steps, approvals } = draft;
    this.#kinds.keep?.(draft, this.#jobs);
    const isOver = isFinishedWorkflow(workflow.status);
    this.beganOutside.push(...begunOutside(draft));
    if (draft.placeMove === "yield") this.yields += 1;
    this.snapshot = {
      ...this.snapshot,
      workflow: { ...workflow, version: workflow.version + 1 },
      runs,
      groups,
      steps,
      approvals,
      signal_status: isOver ? null : placeAfter(draft),
    };
  }

  get #machine(): Machine {
    const kinds = this.#kinds;
    return {
      kindOf: (step) => kinds.kindOf(step, { newId: this.#newId, isOn: this.#isOn }),
      generate: () => kinds.generate(this.#newId),
      began: () => {},
      ended: () => {},
    };
  }
}
