import { rollUpBeats as rollUp } from "../processes/roll-up-beats.ts";
import type { Task } from "./task.ts";

/** Rolls up the minute that has just ended. */
export const rollUpBeats: Task = async ({ db }) => {
  await rollUp(db);
};
