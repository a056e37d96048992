import { parentPort } from "node:worker_threads";
import { summarizeStates, type Wanted } from "./summarize-states.ts";

/** The next bytes of one of the states; after the last, what is to be made of them. */
export type SummaryMessage =
  | { readonly of: number; readonly bytes: Uint8Array }
  | { readonly wanted: Wanted };

// All that the thread does: it takes the pieces of one or two states and sends back finished bytes.
const pieces: Uint8Array[][] = [];
parentPort?.on("message", (message: SummaryMessage) => {
  if ("bytes" in message) (pieces[message.of] ??= []).push(message.bytes);
  else answer(message.wanted);
});

function answer(wanted: Wanted): void {
  const states = pieces.splice(0).map((some) => Buffer.concat(some.splice(0)));
  const summarized = summarizeStates(wanted, states);
  parentPort?.postMessage(summarized, "json" in summarized ? [summarized.json.buffer] : []);
  parentPort?.close();
}
