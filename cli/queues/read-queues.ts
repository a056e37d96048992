import { getQueueRoute, listQueuesRoute } from "../../shared/api/queues.ts";
import { queueStatuses } from "../../shared/queue.ts";
import { defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem } from "../output/print.ts";
import { queueArgs as args } from "./queue-flags.ts";
import { queueDetails, queueLine } from "./queue-view.ts";

export const listQueues = defineList({
  name: "queue list",
  summary: "List queues, newest first; those of runners' job groups last.",
  flags: {
    name: { value: "NAME", summary: "Only queues with this name." },
    status: { value: "STATUS", choices: queueStatuses, summary: "Only queues in this status." },
    "owner-id": { value: "ID", summary: "Only this owner's." },
    "owner-type": { value: "TYPE", summary: "Only those of owners of this type." },
  },
  examples: [{ does: "List the paused queues.", run: "svc queue list --status paused" }],
  view: queueLine,
  empty: "No queues found. Create one: svc queue create --name NAME",
  read: async ({ flags, call, page }) => {
    const { name, status } = flags;
    const owner = { owner_id: flags["owner-id"], owner_type: flags["owner-type"] };
    return await call(listQueuesRoute, { query: { name, status, ...owner, ...page } });
  },
});

export const getQueue = defineCommand({
  name: "queue get",
  summary: "Show a queue: its bounds, what is in it, and the first in line.",
  args,
  examples: [{ does: "Show a queue.", run: "svc queue get que_…" }],
  run: async ({ args, call, screen }) => {
    const params = { queue_id: args.queue };
    printItem(screen, await call(getQueueRoute, { params }), queueDetails);
  },
});
