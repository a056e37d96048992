import type { Command } from "../command.ts";
import { createQueue, deleteQueue, updateQueue } from "./manage-queue.ts";
import { pauseQueue, purgeQueue, resumeQueue } from "./operate-queue.ts";
import { getQueue, listQueues } from "./read-queues.ts";

/** The commands of queues, in the order of help. */
export const queueCommands: readonly Command[] = [
  createQueue,
  listQueues,
  getQueue,
  updateQueue,
  pauseQueue,
  resumeQueue,
  purgeQueue,
  deleteQueue,
];
