import { runFetchRequest } from "../sources/run-fetch-request.ts";
import type { CommandCall } from "./agent-command.ts";

/** Fetches the source that the agent has written down in a file of the job that this runs in. */
export async function fetchOrdered({ words, say }: CommandCall): Promise<number> {
  return await runFetchRequest(words[0] ?? "", say);
}
