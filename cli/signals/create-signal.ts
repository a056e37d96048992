import { enqueueSignalRoute } from "../../shared/api/signals.ts";
import { defineCommand } from "../command.ts";
import { withMember } from "../flags/json-object.ts";
import { readDurationNs, readPairs, readWhole } from "../flags/read-flags.ts";
import { printItem } from "../output/print.ts";
import { readSignalText, signalTextFlags } from "./signal-text.ts";
import { signalDetails } from "./signal-view.ts";

export const createSignal = defineCommand({
  name: "signal create",
  summary: "Enqueue a signal.",
  flags: {
    queue: {
      value: "QUEUE",
      offers: "queues",
      isRequired: true,
      summary: "The queue that it is enqueued into.",
    },
    type: {
      value: "TYPE",
      isRequired: true,
      summary: "A type of your workers, or a built-in one like runner-job.",
    },
    ...signalTextFlags,
    "dedupe-key": {
      value: "KEY",
      summary: "While a live signal of the queue has this key, no other is enqueued.",
    },
    "owner-id": { value: "ID", summary: "The owner's id in your own system." },
    "owner-type": { value: "TYPE", summary: "The type of the owner, in your own words." },
    context: { value: "NAME=VALUE", isRepeatable: true, summary: "A note for people who read it." },
    "expires-in": { value: "DURATION", summary: "It is not executed after this time." },
    "max-executions": { value: "N", summary: "The maximum number of executions (default 3)." },
    "retry-delay": {
      value: "DURATION",
      summary: "Back-off after a failed execution, doubled each time (default 10s).",
    },
    "idempotency-key": {
      value: "KEY",
      summary: "A key that makes retries safe: the same key never enqueues a second signal.",
    },
  },
  examples: [
    {
      does: "Enqueue work for your own workers.",
      run: `svc signal create --queue que_… --type sync-install --signal '{"install":"ins_1"}'`,
    },
    {
      does: "Enqueue data that another program makes.",
      run: "make-data | svc signal create --queue que_… --type sync-install --signal-file -",
    },
  ],
  run: async ({ flags, call, screen }) => {
    const body = {
      type: flags.type,
      dedupe_key: flags["dedupe-key"],
      owner_id: flags["owner-id"],
      owner_type: flags["owner-type"],
      context: readPairs("--context", flags.context),
      expires_in: readDurationNs("--expires-in", flags["expires-in"]),
      max_executions: readWhole("--max-executions", flags["max-executions"]),
      retry_delay: readDurationNs("--retry-delay", flags["retry-delay"]),
    };
    const key = flags["idempotency-key"];
    const signal = await call(enqueueSignalRoute, {
      params: { queue_id: flags.queue },
      body,
      bodyText: withMember(JSON.stringify(body), "signal", await readSignalText(flags)),
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
    printItem(screen, signal, signalDetails);
    if (signal.body.deduplicated) {
      screen.say("Nothing was enqueued: this live signal has the same dedupe key.");
    }
  },
});
