import {
  cancelSignalRoute,
  redriveSignalRoute,
  redriveSignalsRoute,
} from "../../shared/api/signals.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { signalDetails } from "./signal-view.ts";

export const cancelSignal = defineCommand({
  name: "signal cancel",
  summary: "Cancel a signal. A worker that executes it loses its lease.",
  args: { signal: { summary: "The signal's id." } },
  examples: [{ does: "Cancel a signal.", run: "svc signal cancel sig_…" }],
  run: async ({ args, call, screen }) => {
    const params = { signal_id: args.signal };
    printItem(screen, await call(cancelSignalRoute, { params }), signalDetails);
  },
});

export const redriveSignal = defineCommand({
  name: "signal redrive",
  summary:
    "Redrive a dead signal, or all those of a queue: each goes to the end of the queue with all its executions again.",
  args: { signal: { summary: "The signal's id.", isOptional: true } },
  flags: {
    queue: { value: "QUEUE", offers: "queues", summary: "All dead signals of this queue." },
  },
  examples: [
    { does: "Redrive one signal.", run: "svc signal redrive sig_…" },
    { does: "Redrive all dead signals of a queue.", run: "svc signal redrive --queue que_…" },
  ],
  run: async ({ args, flags, call, screen }) => {
    if ((args.signal === undefined) === (flags.queue === undefined)) {
      throw new UsageError("Give the id of a signal, or --queue QUEUE for all its dead signals.");
    }
    if (flags.queue !== undefined) {
      const params = { queue_id: flags.queue };
      const { body, text } = await call(redriveSignalsRoute, { params, body: {} });
      const more = body.has_more
        ? " Others are still dead: repeat the command, or make room in the queue."
        : "";
      const which = body.redriven === 1 ? "signal is" : "signals are";
      const forbidden =
        body.forbidden === 0
          ? ""
          : ` ${body.forbidden} stay dead: this token may not do what they do.`;
      if (screen.format === "table") {
        screen.out(`${body.redriven} ${which} in line again.${forbidden}${more}`);
      } else screen.out(text);
      return;
    }
    const params = { signal_id: args.signal ?? "" };
    printItem(screen, await call(redriveSignalRoute, { params }), signalDetails);
  },
});
