import { pauseQueueRoute, purgeQueueRoute, resumeQueueRoute } from "../../shared/api/queues.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { definePauses } from "../define-pauses.ts";
import { queueArgs as args } from "./queue-flags.ts";
import { queueDetails } from "./queue-view.ts";

export const { pause: pauseQueue, resume: resumeQueue } = definePauses({
  noun: "queue",
  argument: args.queue,
  view: queueDetails,
  pause: {
    summary: "Pause a queue: no signal starts; those in flight continue, new ones wait.",
    example: {
      does: "Pause for an hour.",
      run: 'svc queue pause que_… --until 1h --note "maintenance"',
    },
    send: (call, id, body) => call(pauseQueueRoute, { params: { queue_id: id }, body }),
  },
  resume: {
    summary: "Resume a paused queue.",
    example: { does: "Resume the queue.", run: "svc queue resume que_…" },
    send: (call, id, body) => call(resumeQueueRoute, { params: { queue_id: id }, body }),
  },
});

export const purgeQueue = defineCommand({
  name: "queue purge",
  summary: "Cancel every signal that waits in a queue.",
  args,
  flags: {
    "in-flight": { summary: "Cancel those in flight, too: their workers lose the lease." },
    yes: { summary: "Required: this cannot be undone." },
  },
  examples: [{ does: "Empty a queue.", run: "svc queue purge que_… --yes" }],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Purging a queue cannot be undone. To confirm, add --yes.");
    const params = { queue_id: args.queue };
    const body = { in_flight: flags["in-flight"] };
    let total = 0;
    for (;;) {
      const { purged, has_more: hasMore } = (await call(purgeQueueRoute, { params, body })).body;
      total += purged;
      if (!hasMore || purged === 0) break;
      screen.say(`${total} cancelled so far …`);
    }
    if (screen.format === "table")
      screen.out(`${total} ${total === 1 ? "signal was" : "signals were"} cancelled.`);
    else screen.out(JSON.stringify({ purged: total }));
  },
});
