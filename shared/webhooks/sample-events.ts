import {
  type EventKind,
  type EventTransition,
  eventTransitionNames,
  eventTransitions,
  lifecycleTransitions,
} from "./event-resources.ts";
import { slugsOf } from "./slugs-of.ts";
import type { StoredEvent } from "./stored-event.ts";
import { unknownId } from "./unknown-id.ts";

type Target = { readonly type: string; readonly prefix: string; readonly step: string };
type Sampled = {
  /** The type of the workflow that tells of it, or whose step does. */
  readonly type: string;
  readonly isOfWorkflow: boolean;
  /** The target of the step that tells of it; unless given, the state that each workflow begins with. */
  readonly target?: Target;
  readonly isOfStep?: false;
  /** The type of the approval that such a step asks for. */
  readonly approval?: string;
};

const target = (type: string, prefix: string, step: string): Target => ({ type, prefix, step });
const deploy = target("install_deploys", "dep", "apply web");
const sandbox = target("install_sandbox_runs", "sbr", "sandbox plan");
const state = target("install_states", "ist", "generate install state");
const account = target("runners", "run", "provision runner service account");
const plan = "terraform_plan";
const whole = { isOfWorkflow: true } as const;
const steps = { isOfWorkflow: false } as const;

/** What events tell of, and by which workflows and steps; drift stands beside what subscriptions name. */
const sampled = {
  "installs.provision": { type: "provision", ...whole },
  "installs.deprovision": { type: "deprovision", ...whole },
  "installs.reprovision": { type: "reprovision", ...whole },
  "stacks.version_active": {
    type: "provision",
    ...steps,
    target: target("install_stack_versions", "stv", "await install stack"),
  },
  "components.deploy": { type: "manual_deploy", ...whole, target: deploy, approval: plan },
  "components.teardown": { type: "teardown_component", ...whole, target: deploy, approval: plan },
  "components.drift": { type: "drift_run", ...steps, target: deploy },
  "sandboxes.provision": { type: "provision", ...steps, target: sandbox, approval: plan },
  "sandboxes.reprovision": {
    type: "reprovision_sandbox",
    ...whole,
    target: sandbox,
    approval: plan,
  },
  "sandboxes.deprovision": {
    type: "deprovision_sandbox",
    ...whole,
    target: sandbox,
    approval: plan,
  },
  "sandboxes.drift": { type: "drift_run_reprovision_sandbox", ...steps, target: sandbox },
  "install_configurations.inputs": { type: "input_update", ...whole },
  "install_configurations.secrets": {
    type: "sync_secrets",
    ...whole,
    target: target("install_workflow_steps", "stp", "sync secrets"),
  },
  "runners.provision": { type: "provision", ...steps, target: account },
  "runners.reprovision": { type: "reprovision", ...steps, target: account },
  "runners.inactive": { type: "runner_inactive", ...whole, isOfStep: false },
  "actions.run": {
    type: "action_workflow_run",
    ...whole,
    target: target("install_action_workflow_runs", "awr", "greet action run (manual)"),
    approval: "noop",
  },
} as const satisfies Readonly<Record<string, Sampled>>;

/** What a sample can tell of. */
export type SampleEvent = keyof typeof sampled;
export const sampleEventNames = Object.keys(sampled) as [SampleEvent, ...SampleEvent[]]; // the table's own keys

/** A sample: what it tells of, as an event of what, and what it tells. */
export type Sample = {
  readonly event: SampleEvent;
  readonly kind: EventKind;
  readonly transition: EventTransition;
};

/** What can be told of it by workflows and by steps. */
export function transitionsOf(
  event: SampleEvent,
): Readonly<Record<EventKind, readonly EventTransition[]>> {
  const { isOfWorkflow, isOfStep, approval }: Sampled = sampled[event];
  if (isOfStep === false) return { workflow: ["failed"], workflow_step: [] };
  if (event.endsWith(".drift")) return { workflow: [], workflow_step: ["detected"] };
  const isOfSteps = (name: EventTransition): boolean =>
    lifecycleTransitions.includes(name) || (approval !== undefined && name !== "detected");
  return {
    workflow: isOfWorkflow ? lifecycleTransitions : [],
    workflow_step: eventTransitionNames.filter(isOfSteps),
  };
}

/** Every sample there is. */
export const allSamples: readonly Sample[] = sampleEventNames.flatMap((event) =>
  (["workflow", "workflow_step"] as const).flatMap((kind) =>
    transitionsOf(event)[kind].map((transition) => ({ event, kind, transition })),
  ),
);

/** A sample of what is asked for, of a workflow if one tells it; or which transitions there are instead. */
export function chooseSample({
  event = "installs.provision",
  kind,
  transition,
}: {
  readonly [Name in keyof Sample]?: Sample[Name] | undefined;
}): Sample | { readonly allowed: readonly EventTransition[] } {
  const fitting = allSamples.filter(
    (one) => one.event === event && (kind === undefined || one.kind === kind),
  );
  const usual = fitting.some((one) => one.transition === "succeeded") ? "succeeded" : undefined;
  const wanted = transition ?? usual ?? fitting[0]?.transition;
  const found = fitting.find((one) => one.transition === wanted);
  return found ?? { allowed: [...new Set(fitting.map((one) => one.transition))] };
}

/** An event as any other, of things that there never were: its id begins with `ping-`. */
export function sampleEvent(
  { event, kind, transition }: Sample,
  { orgId, id, at }: { readonly orgId: string; readonly id: string; readonly at: Date },
): StoredEvent {
  const { type, target: aimed = state, approval }: Sampled = sampled[event];
  const [resource = "", op = ""] = event.split(".");
  const { event: told, outcomes } = eventTransitions[transition];
  const isOfStep = kind === "workflow_step";
  const failed = transition === "failed" ? { error: "This is a sample." } : {};
  return {
    id,
    org_id: orgId,
    kind,
    transition,
    workflow_id: unknownId("wfl"),
    step_id: isOfStep ? unknownId("stp") : null,
    slugs: slugsOf({ resource, op, transition }),
    data: {
      workflow: {
        id: unknownId("wfl"),
        type,
        owner_id: unknownId("ins"),
        owner_type: "installs",
      },
      ...(isOfStep && { step: stepOf(aimed, told) }),
      ...(outcomes.length > 0 && { outcome: { status: transition, ...failed, duration_ms: 0 } }),
      ...(told.startsWith("approval.") && {
        approval: approvalOf(transition, { type: approval ?? "noop", at }),
      }),
      ...(told === "drift.detected" && { drift: { added: 1, changed: 2, removed: 0 } }),
      links: {},
    },
    created_at: at,
  };
}

function stepOf({ type, prefix, step }: Target, told: string) {
  const isApproval = told.startsWith("approval.");
  return {
    id: unknownId("stp"),
    name: step,
    idx: 1,
    target_type: type,
    target_id: unknownId(prefix),
    ...(type === "install_deploys" && { component_id: unknownId("cmp") }),
    ...(type === "install_sandbox_runs" && { sandbox_id: unknownId("sbx") }),
    execution_type: isApproval ? ("approval" as const) : ("system" as const),
  };
}

const approvalMs = 30 * 24 * 3_600_000;

function approvalOf(
  transition: EventTransition,
  { type, at }: { readonly type: string; readonly at: Date },
) {
  const expiresAt = new Date(at.getTime() + approvalMs).toISOString();
  const asked = { id: unknownId("apv"), type, expires_at: expiresAt };
  if (transition === "requested") return asked;
  const answer = transition === "approved" ? "approve" : "deny";
  return { ...asked, response_type: answer, note: "This is a sample." };
}
