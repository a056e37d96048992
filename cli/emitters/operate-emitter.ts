import {
  deleteEmitterRoute,
  fireEmitterRoute,
  pauseEmitterRoute,
  resumeEmitterRoute,
} from "../../shared/api/emitters.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { signalDetails } from "../signals/signal-view.ts";
import { emitterDetails } from "./emitter-view.ts";

/** The argument of every command of one emitter. */
export const emitterArgs = {
  emitter: { summary: "The emitter's id.", offers: "emitters" },
} as const;
const args = emitterArgs;
const note = { value: "TEXT", summary: "The reason, which others see." } as const;

export const pauseEmitter = defineCommand({
  name: "emitter pause",
  summary: "Pause an emitter. Ticks that pass meanwhile are not made up for.",
  args,
  flags: {
    note,
    until: {
      value: "WHEN",
      summary: "When it resumes: an instant, or a duration from now like 15m (default: never).",
    },
  },
  examples: [
    {
      does: "Pause for the holidays.",
      run: "svc emitter pause emt_… --until 2027-01-07T08:00:00Z",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { note, until } = flags;
    const body = { ...(note !== undefined && { note }), ...(until !== undefined && { until }) };
    const params = { emitter_id: args.emitter };
    printItem(screen, await call(pauseEmitterRoute, { params, body }), emitterDetails);
    screen.say(`Undo it: svc emitter resume ${args.emitter}`);
  },
});

export const resumeEmitter = defineCommand({
  name: "emitter resume",
  summary: "Resume a paused emitter: its next tick is the first from now on.",
  args,
  flags: { note },
  examples: [{ does: "Resume the emitter.", run: "svc emitter resume emt_…" }],
  run: async ({ args, flags, call, screen }) => {
    const body = flags.note === undefined ? {} : { note: flags.note };
    const params = { emitter_id: args.emitter };
    printItem(screen, await call(resumeEmitterRoute, { params, body }), emitterDetails);
  },
});

export const fireEmitter = defineCommand({
  name: "emitter fire",
  summary: "Emit one signal now; the schedule stays as it is.",
  args,
  examples: [{ does: "Do now what is done every night.", run: "svc emitter fire emt_…" }],
  run: async ({ args, call, screen }) => {
    const params = { emitter_id: args.emitter };
    const signal = await call(fireEmitterRoute, { params, body: {} });
    printItem(screen, signal, signalDetails);
    screen.say(`See how it ends: svc signal get ${signal.body.id}`);
  },
});

export const deleteEmitter = defineCommand({
  name: "emitter delete",
  summary: "Delete an emitter; its signals stay.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete without confirmation.", run: "svc emitter delete emt_… --yes" }],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting an emitter cannot be undone. To confirm, add --yes.");
    await call(deleteEmitterRoute, { params: { emitter_id: args.emitter } });
    screen.say(`${args.emitter} is deleted.`);
  },
});
