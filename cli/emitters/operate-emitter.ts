import {
  deleteEmitterRoute,
  fireEmitterRoute,
  pauseEmitterRoute,
  resumeEmitterRoute,
} from "../../shared/api/emitters.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { definePauses } from "../define-pauses.ts";
import { printItem } from "../output/print.ts";
import { signalDetails } from "../signals/signal-view.ts";
import { emitterDetails } from "./emitter-view.ts";

/** The argument of every command of one emitter. */
export const emitterArgs = {
  emitter: { summary: "The emitter's id.", offers: "emitters" },
} as const;
const args = emitterArgs;

export const { pause: pauseEmitter, resume: resumeEmitter } = definePauses({
  noun: "emitter",
  argument: args.emitter,
  view: emitterDetails,
  pause: {
    summary: "Pause an emitter. Ticks that pass during the pause are not made up for.",
    example: {
      does: "Pause for the holidays.",
      run: "svc emitter pause emt_… --until 2027-01-07T08:00:00Z",
    },
    send: (call, id, body) => call(pauseEmitterRoute, { params: { emitter_id: id }, body }),
  },
  resume: {
    summary: "Resume a paused emitter: its next tick is the first from now on.",
    example: { does: "Resume the emitter.", run: "svc emitter resume emt_…" },
    send: (call, id, body) => call(resumeEmitterRoute, { params: { emitter_id: id }, body }),
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
    if (signal.body.deduplicated)
      screen.say("Nothing was enqueued: this live signal has the emitter's dedupe key.");
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
