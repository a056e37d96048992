import { pauseQueueRoute, purgeQueueRoute, resumeQueueRoute } from "../../shared/api/queues.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { queueArgs as args } from "./queue-flags.ts";
import { queueDetails } from "./queue-view.ts";

const note = { value: "TEXT", summary: "The reason, which others see." } as const;

export const pauseQueue = defineCommand({
  name: "queue pause",
  summary: "Pause a queue: no signal begins; those in flight continue, new ones wait.",
  args,
  flags: {
    note,
    until: {
      value: "WHEN",
      summary: "When it resumes: an instant, or a duration from now like 15m (default: never).",
    },
  },
  examples: [
    { does: "Pause for an hour.", run: 'svc queue pause que_… --until 1h --note "maintenance"' },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { note, until } = flags;
    const body = { ...(note !== undefined && { note }), ...(until !== undefined && { until }) };
    const params = { queue_id: args.queue };
    printItem(screen, await call(pauseQueueRoute, { params, body }), queueDetails);
    screen.say(`Undo it: svc queue resume ${args.queue}`);
  },
});

export const resumeQueue = defineCommand({
  name: "queue resume",
  summary: "Resume a paused queue.",
  args,
  flags: { note },
  examples: [{ does: "Resume the queue.", run: "svc queue resume que_…" }],
  run: async ({ args, flags, call, screen }) => {
    const body = flags.note === undefined ? {} : { note: flags.note };
    const params = { queue_id: args.queue };
    printItem(screen, await call(resumeQueueRoute, { params, body }), queueDetails);
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
    if (screen.format === "table") screen.out(`${total} signals were cancelled.`);
    else screen.out(JSON.stringify({ purged: total }));
  },
});
