import type { Permission } from "./permissions.ts";

/** Whose lanes there are: queues that come and go with their owner. Every other queue was made by hand, and is nobody's. */
export const laneOwners = ["installs", "apps", "app_branches"] as const;
export type LaneOwner = (typeof laneOwners)[number];

type Act = {
  /** What it asks of whoever does it, whatever the queue. */
  readonly permission: Permission;
  /** What it asks besides where the queue is a lane: what its owner asks. */
  readonly ofLane: Readonly<Record<LaneOwner, Permission>>;
  /** A token that is bound to an app or an install may do it in the lanes of its own installs. */
  readonly isBound?: true;
  /**
   * It has signals act, now or again: it asks what they do besides (`permissions`, `actsOn`, `runnerOf` of their type). The commands ask,
   * which know the signals: `requireDeeds` where they or an emitter's template are written, `requireFiler` where an emitter is there,
   * `askRedrive` where they are dead. Tests hold these and docs/access.md to what is said here.
   */
  readonly asksDeeds?: true;
};

const reading = {
  installs: "installs.read",
  apps: "apps.read",
  app_branches: "apps.read",
} as const;
/** What it asks to operate what an owner has: the signals and emitters in its lanes, and its workflows, by the API and on pages. */
export const operatingPermissions = {
  installs: "installs.operate",
  apps: "builds.write",
  app_branches: "branches.run",
} as const satisfies Readonly<Record<LaneOwner, Permission>>;
const operating = operatingPermissions;
const operatingQueues = { permission: "queues.operate", ofLane: operating, isBound: true } as const;

/**
 * Everything that is done with a queue, with the signals in it and with its emitters, and what it asks: the one rule for routes, for
 * signals and callbacks that act when they are executed, and for what pages offer.
 */
export const queueActs = {
  read: { permission: "queues.read", ofLane: reading, isBound: true },
  update: { permission: "queues.write", ofLane: operating, isBound: true },
  delete: { permission: "queues.write", ofLane: operating },
  pause: operatingQueues,
  resume: operatingQueues,
  purge: operatingQueues,
  enqueue: { permission: "signals.write", ofLane: operating, asksDeeds: true },
  cancel: operatingQueues,
  redrive: { ...operatingQueues, asksDeeds: true },
  claim: { permission: "signals.work", ofLane: operating },
  report: { permission: "signals.work", ofLane: operating },
  "create-emitter": { permission: "queues.write", ofLane: operating, asksDeeds: true },
  "update-emitter": { permission: "queues.write", ofLane: operating, asksDeeds: true },
  "delete-emitter": { permission: "queues.write", ofLane: operating },
  "pause-emitter": { ...operatingQueues, asksDeeds: true },
  "resume-emitter": { ...operatingQueues, asksDeeds: true },
  "fire-emitter": { ...operatingQueues, asksDeeds: true },
} as const satisfies Readonly<Record<string, Act>>;
export type QueueAct = keyof typeof queueActs;

/** What a signal acts on when it is executed. */
export type QueueTarget = {
  readonly act: QueueAct;
  readonly on: { readonly queue_id: string } | { readonly emitter_id: string };
};

/** The rule of a route that does this with what its path names. */
export function ruleOfAct<A extends QueueAct>(
  act: A,
): { surface: "control-plane"; permission: (typeof queueActs)[A]["permission"]; act: A } {
  return { surface: "control-plane", permission: queueActs[act].permission, act };
}

/** Everything that an act asks, by whose lane it is done in. */
export function permissionsOfAct(act: QueueAct, owner: LaneOwner | null): readonly Permission[] {
  const { permission, ofLane }: Act = queueActs[act];
  return owner === null ? [permission] : [permission, ofLane[owner]];
}
