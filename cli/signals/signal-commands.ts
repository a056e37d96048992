import type { Command } from "../command.ts";
import { createSignal } from "./create-signal.ts";
import { cancelSignal, redriveSignal } from "./end-signal.ts";
import { getSignal, listSignals } from "./read-signals.ts";

/** The commands of signals, in the order of help. */
export const signalCommands: readonly Command[] = [
  createSignal,
  listSignals,
  getSignal,
  cancelSignal,
  redriveSignal,
];
