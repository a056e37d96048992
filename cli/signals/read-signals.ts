import { getSignalRoute, listSignalsRoute } from "../../shared/api/signals.ts";
import { signalStatuses } from "../../shared/queue-signal.ts";
import { defineCommand } from "../command.ts";
import { pageFlags } from "../flags/global-flags.ts";
import { printItem, printPage } from "../output/print.ts";
import { signalDetails, signalLine } from "./signal-view.ts";

export const listSignals = defineCommand({
  name: "signal list",
  summary: "List the signals of a queue, newest first; those that wait in the order of the line.",
  flags: {
    queue: { value: "QUEUE", offers: "queues", isRequired: true, summary: "The queue." },
    status: { value: "STATUS", choices: signalStatuses, summary: "Only signals in this status." },
    type: { value: "TYPE", summary: "Only signals of this type." },
    "owner-id": { value: "ID", summary: "Only this owner's." },
    emitter: { value: "EMITTER", summary: "Only those of this emitter." },
    ...pageFlags,
  },
  examples: [
    {
      does: "List the dead signals of a queue.",
      run: "svc signal list --queue que_… --status dead",
    },
  ],
  run: async ({ flags, call, screen }) => {
    const { status, type, limit, cursor } = flags;
    const of = { owner_id: flags["owner-id"], emitter_id: flags.emitter };
    const params = { queue_id: flags.queue };
    const query = { status, type, ...of, limit, cursor };
    printPage(screen, await call(listSignalsRoute, { params, query }), {
      ...signalLine,
      empty: "No signals found.",
      more: "svc signal list (with the same flags)",
    });
  },
});

export const getSignal = defineCommand({
  name: "signal get",
  summary: "Show a signal: its status and executions, its data, and what follows its end.",
  args: { signal: { summary: "The signal's id." } },
  examples: [{ does: "Show a signal.", run: "svc signal get sig_…" }],
  run: async ({ args, call, screen }) => {
    const params = { signal_id: args.signal };
    printItem(screen, await call(getSignalRoute, { params }), signalDetails);
  },
});
