/** What subscriptions name: each kind of resource with the things that can be done to it. Validation, docs and tests derive from it. */
export const eventResources = {
  installs: ["provision", "deprovision", "reprovision"],
  stacks: ["version_active"],
  components: ["deploy", "teardown"],
  sandboxes: ["provision", "reprovision", "deprovision"],
  install_configurations: ["inputs", "secrets"],
  runners: ["provision", "reprovision", "inactive"],
  actions: ["run"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type EventResource = keyof typeof eventResources;

export const eventResourceNames = Object.keys(eventResources) as EventResource[]; // the table's own keys

/** The resources whose plans are checked for drift. */
export const driftResources: readonly EventResource[] = ["components", "sandboxes"];

/** Which lifecycle events of a resource are wanted. */
export const interestOutcomes = ["all", "completion", "failures", "none"] as const;
export type InterestOutcome = (typeof interestOutcomes)[number];

/** The two types of events, by what they are about. */
export const eventTypes = {
  workflow: "com.svc.workflow.lifecycle.v1",
  workflow_step: "com.svc.workflow_step.lifecycle.v1",
} as const;
export type EventKind = keyof typeof eventTypes;
export const eventKinds = Object.keys(eventTypes) as EventKind[]; // the table's own keys

/** What an event tells, and how its slugs say it: the first four are a lifecycle, the others are of steps alone. */
export const eventTransitions = {
  started: { event: "lifecycle.started", outcomes: [] },
  succeeded: { event: "lifecycle.succeeded", outcomes: ["completion"] },
  failed: { event: "lifecycle.failed", outcomes: ["completion", "failures"] },
  cancelled: { event: "lifecycle.cancelled", outcomes: ["completion", "failures"] },
  requested: { event: "approval.request", outcomes: [] },
  approved: { event: "approval.response", outcomes: [] },
  rejected: { event: "approval.response", outcomes: [] },
  detected: { event: "drift.detected", outcomes: [] },
} as const;
export type EventTransition = keyof typeof eventTransitions;

export const eventTransitionNames = Object.keys(eventTransitions) as EventTransition[]; // the table's own keys

/** What is told of workflows, and of steps besides approvals and drift. */
export const lifecycleTransitions: readonly EventTransition[] = eventTransitionNames.filter(
  (name) => eventTransitions[name].event.startsWith("lifecycle."),
);

/** Workflows that only look for drift: their lifecycle is told to nobody. */
export const driftWorkflows: readonly string[] = ["drift_run", "drift_run_reprovision_sandbox"];
