import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readInput } from "../connection/connection.ts";
import { requireObject } from "../flags/json-object.ts";

/** How a command is given the data of a signal. */
export const signalTextFlags = {
  signal: { value: "JSON", summary: "Its data, a JSON object (default {})." },
  "signal-file": {
    value: "FILE",
    summary: "The data from a file or standard input (-); use it for secrets.",
  },
} as const;

type Given = {
  readonly signal: string | undefined;
  readonly "signal-file": string | undefined;
};

/** The data as it was written; a UsageError when it is no JSON object. */
export async function readSignalText(flags: Given): Promise<string> {
  const file = flags["signal-file"];
  if (flags.signal !== undefined && file !== undefined) {
    throw new UsageError("--signal and --signal-file cannot be used together.");
  }
  if (file !== undefined) return requireObject(await readInput(file), `The data in ${file}`);
  return requireObject(flags.signal ?? "{}", "--signal");
}
