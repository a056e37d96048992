import type { Command } from "../command.ts";
import { createEmitter } from "./create-emitter.ts";
import { deleteEmitter, fireEmitter, pauseEmitter, resumeEmitter } from "./operate-emitter.ts";
import { getEmitter, listEmitters, nextTicks } from "./read-emitters.ts";

/** The commands of emitters, in the order of help. */
export const emitterCommands: readonly Command[] = [
  createEmitter,
  listEmitters,
  getEmitter,
  nextTicks,
  fireEmitter,
  pauseEmitter,
  resumeEmitter,
  deleteEmitter,
];
