import { getSignalRoute, listSignalsRoute } from "../../shared/api/signals.ts";
import { signalStatuses } from "../../shared/queue-signal.ts";
import { defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem } from "../output/print.ts";
import { signalDetails, signalLine } from "./signal-view.ts";

export const listSignals = defineList({
  name: "signal list",
  summary: "List the signals of a queue, newest first; waiting ones in queue order.",
  flags: {
    queue: {
      value: "QUEUE",
      offers: "queues",
      isRequired: true,
      summary: "The queue whose signals they are.",
    },
    status: { value: "STATUS", choices: signalStatuses, summary: "Only signals in this status." },
    type: { value: "TYPE", summary: "Only signals of this type." },
    "owner-id": { value: "ID", summary: "Only this owner's." },
    emitter: { value: "EMITTER", offers: "emitters", summary: "Only those of this emitter." },
  },
  examples: [
    {
      does: "List the dead signals of a queue.",
      run: "svc signal list --queue que_… --status dead",
    },
  ],
  view: signalLine,
  empty: "No signals found.",
  read: async ({ flags, call, page }) => {
    const { status, type, "owner-id": owner_id, emitter: emitter_id } = flags;
    const params = { queue_id: flags.queue };
    const query = { status, type, owner_id, emitter_id, ...page };
    return await call(listSignalsRoute, { params, query });
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
