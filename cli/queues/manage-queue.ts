import { createQueueRoute, deleteQueueRoute, updateQueueRoute } from "../../shared/api/queues.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { queueArgs as args, queueFlags, readQueueFlags } from "./queue-flags.ts";
import { queueDetails } from "./queue-view.ts";

export const createQueue = defineCommand({
  name: "queue create",
  summary: "Create a queue of signals.",
  flags: {
    name: { value: "NAME", isRequired: true, summary: "Its name, unique for its owner." },
    "owner-id": { value: "ID", summary: "The owner's id in your own system." },
    "owner-type": { value: "TYPE", summary: "The type of the owner, in your own words." },
    ...queueFlags,
  },
  examples: [
    {
      does: "Create a queue that does the work of one install in order.",
      run: "svc queue create --name changes --owner-type install --owner-id ins_1",
    },
  ],
  run: async ({ flags, call, screen }) => {
    const body = {
      name: flags.name,
      owner_id: flags["owner-id"],
      owner_type: flags["owner-type"],
      ...readQueueFlags(flags),
    };
    const queue = await call(createQueueRoute, { body });
    printItem(screen, queue, queueDetails);
    screen.say(
      `Enqueue a signal: svc signal create --queue ${queue.body.id} --type my-work --signal '{}'`,
    );
  },
});

export const updateQueue = defineCommand({
  name: "queue update",
  summary: "Change a queue's name or bounds.",
  details: "Signals in flight and waiting are kept, even if a bound becomes smaller.",
  args,
  flags: { name: { value: "NAME", summary: "A new name." }, ...queueFlags },
  examples: [{ does: "Let three run at once.", run: "svc queue update que_… --max-in-flight 3" }],
  run: async ({ args, flags, call, screen }) => {
    const body = { name: flags.name, ...readQueueFlags(flags) };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new UsageError("Nothing to change: give a flag like --max-in-flight.");
    }
    const params = { queue_id: args.queue };
    printItem(screen, await call(updateQueueRoute, { params, body }), queueDetails);
  },
});

export const deleteQueue = defineCommand({
  name: "queue delete",
  summary: "Delete an empty queue.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [
    {
      does: "Cancel what waits in it, then delete it.",
      run: "svc queue purge que_… --yes && svc queue delete que_… --yes",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting a queue cannot be undone. To confirm, add --yes.");
    await call(deleteQueueRoute, { params: { queue_id: args.queue } });
    screen.say(`${args.queue} is deleted.`);
  },
});
