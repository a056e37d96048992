import type { MoveTable } from "./moves.ts";

/** When an emitter emits: at the ticks of a cron expression, once at an instant, or once after a delay. */
export const emitterModes = ["cron", "scheduled", "fire_once"] as const;
export type EmitterMode = (typeof emitterModes)[number];

/** What becomes of ticks that passed while no broker ran: nothing, one signal for all, or one each. */
export const missedPolicies = ["skip", "once", "all"] as const;

/** What becomes of a tick while the last signal is still in its queue: it is skipped, or emitted all the same. */
export const overlapPolicies = ["skip", "allow"] as const;

/** Every status that an emitter can have. */
export const emitterStatuses = ["active", "paused", "done"] as const;
export type EmitterStatus = (typeof emitterStatuses)[number];

/** The state machine of an emitter. It is created as active. */
export const emitterTransitions = {
  pause: {
    from: ["active"],
    to: "paused",
    when: "an operator, or a signal, pauses it",
    also: "its ticks pass and are not made up for",
  },
  resume: {
    from: ["paused"],
    to: "active",
    when: "an operator, or a signal, resumes it, or the pause's end time comes",
    also: "its next tick is computed from then on",
  },
  finish: {
    from: ["active"],
    to: "done",
    when: "its only tick was emitted, or passed while it was paused",
    also: "no clock runs for it any more",
  },
  reschedule: {
    from: ["done"],
    to: "active",
    when: "it gets a new instant or delay",
    also: "it has not fired",
  },
} as const satisfies MoveTable<EmitterStatus>;
