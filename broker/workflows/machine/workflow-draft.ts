import { statusAfter } from "../../../shared/moves.ts";
import { type WorkflowStepEvent, workflowStepTransitions } from "../../../shared/workflow-step.ts";
import { type WorkflowEvent, workflowTransitions } from "../../../shared/workflow.ts";
import type { DeployRow, TargetRow } from "./deploy-rows.ts";
import { type EventDraft, type EventWords, stepEvent, workflowEvent } from "./event-draft.ts";
import { entitiesOfStep, entitiesOfWorkflow, type EventThings } from "./event-entities.ts";
import type { InstallChange } from "./install-change.ts";
import type { EvaluationDraft } from "./policy-check.ts";
import type {
  ActionRunRow,
  Approval,
  BuildRow,
  Child,
  Group,
  Params,
  Run,
  Step,
  StepJob,
  Workflow,
} from "./workflow-rows.ts";
import type { WorkflowSnapshot } from "./workflow-snapshot.ts";

/** Bytes as they are stored. */
export type SealedText = { readonly keyId: string | null; readonly base64: string };
/** The masked twin of a plan, as it is written. */
export type SealedTwin = { readonly key_id: string | null; readonly base64: string };
/** A job of a step, ready to be enqueued. */
export type JobDraft = Readonly<Record<string, unknown>> & { readonly id: string };
/** A workflow that a step begins, in a lane of its install. */
export type ChildDraft = {
  /** By what the database refuses it, the same at each try. */
  readonly ref: string;
  readonly step: Step;
  readonly key: string;
  readonly type: string;
  readonly installId: string;
  readonly params: Params;
  readonly metadata: Readonly<Record<string, string>>;
};
/** Why the database took none of a first decision's children: full, no-lane or not-found, by their refs. */
export type RefusedChildren = Readonly<Record<string, string>>;
export type NewId = (
  prefix:
    | "wfr"
    | "wsg"
    | "stp"
    | "apv"
    | "apr"
    | "awr"
    | "bld"
    | "sbd"
    | "ist"
    | "sig"
    | "dep"
    | "sbr",
) => string;
type Given = {
  readonly newId: NewId;
  readonly things: EventThings;
  readonly refusedChildren?: RefusedChildren;
};
type Words = {
  readonly description?: string | undefined;
  readonly directive?: Step["result_directive"];
};

/**
 * A workflow as it was read and as it is to be: moves by the tables of moves, and all that is written with them. Whoever decides
 * changes it here, and `write_workflow` writes the whole in one statement.
 */
export class WorkflowDraft {
  readonly workflow: Workflow;
  readonly runs: Run[];
  readonly groups: Group[];
  readonly steps: Step[];
  readonly approvals: Approval[];
  readonly actionRuns: ActionRunRow[];
  readonly builds: BuildRow[];
  readonly deploys: DeployRow[];
  readonly targets: TargetRow[];
  readonly jobs: ReadonlyMap<string, StepJob>;
  readonly now: string;
  readonly nowMs: number;
  readonly events: EventDraft[] = [];
  readonly newJobs: JobDraft[] = [];
  readonly newChildren: ChildDraft[] = [];
  readonly newEvaluations: EvaluationDraft[] = [];
  /** Children that are cancelled: of a step that is, or of another attempt, which must have ended before they are begun again. */
  readonly leftChildren: string[] = [];
  /** Jobs that are cancelled of steps in whose place others are made. */
  readonly leftJobs: string[] = [];
  /** What is approved, by the approval's id; what a new run was given, by the run's. */
  readonly contents = new Map<string, SealedText>();
  /** Their masked twins. */
  readonly shown = new Map<string, SealedTwin>();
  readonly install: InstallChange = {};
  /** What is done after the change is written, and again after each look as long as it is needed. */
  readonly effects: { deprovisionRunner?: string } = {};
  readonly workflowEvents: WorkflowEvent[] = [];
  readonly stepEvents = new Map<string, WorkflowStepEvent[]>();
  /** A new place in the lane, of a workflow that is resumed. */
  newSignalId: string | undefined;
  /** Who retried or resumed it just now: they join its chain. */
  joinedBy: string | undefined;
  /** Who set approve-all just now. */
  approveAllBy: string | undefined;
  /** A step begins at the next look, which is at once. */
  isPutOff = false;
  /** It is looked at then, whatever its clocks are. */
  lookAt: string | undefined;
  /** It gives back its place in the lane, or takes one again. */
  placeMove: "yield" | "requeue" | undefined;
  readonly snapshot: WorkflowSnapshot;
  readonly newId: NewId;
  readonly refusedChildren: RefusedChildren;
  readonly #things: EventThings;

  constructor(snapshot: WorkflowSnapshot, { newId, things, refusedChildren = {} }: Given) {
    this.snapshot = snapshot;
    this.refusedChildren = refusedChildren;
    this.newId = newId;
    this.#things = things;
    this.now = snapshot.now;
    this.nowMs = Date.parse(snapshot.now);
    this.workflow = { ...snapshot.workflow };
    this.runs = snapshot.runs.map((run) => ({ ...run }));
    this.groups = snapshot.groups.map((group) => ({ ...group }));
    this.steps = snapshot.steps.map((step) => ({ ...step }));
    this.approvals = snapshot.approvals.map((approval) => ({ ...approval }));
    this.actionRuns = snapshot.action_runs.map((run) => ({ ...run }));
    this.builds = snapshot.builds.map((build) => ({ ...build }));
    this.deploys = snapshot.deploys.map((deploy) => ({ ...deploy }));
    this.targets = snapshot.targets.map((target) => ({ ...target }));
    this.jobs = new Map(snapshot.jobs.map((job) => [job.id, job]));
  }

  /** Moves the workflow; a move that the table has not is a bug. */
  moveWorkflow(event: WorkflowEvent, description = ""): void {
    const { workflow } = this;
    const to = statusAfter(workflowTransitions, workflow.status, event);
    if (to === undefined) throw new Error(`a workflow ${workflow.status} has no move ${event}`);
    Object.assign(workflow, { status: to, status_description: description, status_at: this.now });
    this.workflowEvents.push(event);
  }

  /** Moves a step; a move that the table has not is a bug. */
  moveStep(
    step: Step,
    event: WorkflowStepEvent,
    { description = "", directive }: Words = {},
  ): void {
    const to = statusAfter(workflowStepTransitions, step.status, event);
    if (to === undefined) throw new Error(`a step ${step.status} has no move ${event}`);
    Object.assign(step, { status: to, status_description: description, status_at: this.now });
    if (directive !== undefined) step.result_directive = directive;
    const events = this.stepEvents.get(step.id) ?? [];
    this.stepEvents.set(step.id, [...events, event]);
  }

  /** Writes an event of the workflow. */
  tellWorkflow(words: Omit<EventWords, "now">): void {
    const said = { ...words, now: this.now };
    const entities = entitiesOfWorkflow(this.#things, this);
    this.events.push(workflowEvent(this.workflow, entities, said));
  }

  /** Writes an event of a step; one that ends it is written once. */
  tellStep(step: Step, words: Omit<EventWords, "now" | "startedAt">): void {
    const isEnd = ["succeeded", "failed", "cancelled"].includes(words.transition);
    if (isEnd && (step.is_told || step.started_at === null)) return;
    if (isEnd) step.is_told = true;
    const entities = entitiesOfStep(this.#things, this, step);
    const said = { ...words, now: this.now, startedAt: step.started_at };
    this.events.push(stepEvent(this.workflow, step, { entities, words: said }));
  }

  /** The run that goes on, or did last. */
  get run(): Run {
    const last = this.runs.at(-1);
    if (last === undefined) throw new Error(`workflow ${this.workflow.id} has no run`);
    return last;
  }

  /** The steps of a group that no other row goes on for, in order. */
  stepsOf(group: Group): Step[] {
    return this.steps
      .filter((step) => step.group_id === group.id && !step.is_retried)
      .sort((a, b) => a.idx - b.idx || a.retry_index - b.retry_index);
  }

  /** The groups that no clone goes on for, in order. */
  liveGroups(): Group[] {
    const last = new Map<number, Group>();
    for (const group of this.groups) {
      const known = last.get(group.group_idx);
      if (known === undefined || known.group_retry_idx < group.group_retry_idx)
        last.set(group.group_idx, group);
    }
    return [...last.values()].sort((a, b) => a.group_idx - b.group_idx);
  }

  groupOf(step: Step): Group {
    const group = this.groups.find(({ id }) => id === step.group_id);
    if (group === undefined) throw new Error(`step ${step.id} has no group`);
    return group;
  }

  approvalOf(step: Step): Approval | undefined {
    return this.approvals.find(({ step_id }) => step_id === step.id);
  }

  jobOf(step: Step): StepJob | undefined {
    return step.job_id === null ? undefined : this.jobs.get(step.job_id);
  }

  /** What a step, or one in whose place it is, has begun: the newest of each key. */
  childrenOf({ idx }: Step): ReadonlyMap<string, Child> {
    const ids = new Set(this.steps.filter((step) => step.idx === idx).map(({ id }) => id));
    const own = this.snapshot.children.filter(({ step_id }) => ids.has(step_id));
    return new Map(own.map((child) => [child.key, child]));
  }

  actionRunOf(step: Step): ActionRunRow | undefined {
    return this.actionRuns.find(({ id }) => id === step.target_id);
  }

  buildOf(step: Step): BuildRow | undefined {
    return this.builds.find(({ id }) => id === step.target_id);
  }

  deployOf(step: Step): DeployRow | undefined {
    return this.deploys.find(({ id }) => id === step.target_id);
  }

  /** The instant that is so much later. */
  after(ms: number): string {
    return new Date(this.nowMs + ms).toISOString();
  }

  isPast(instant: string | null): boolean {
    return instant !== null && Date.parse(instant) <= this.nowMs;
  }
}
