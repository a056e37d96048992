import { serveFront } from "../helm-front/serve-front.ts";
import type { CommandCall } from "./agent-command.ts";

/** Serves the front that the agent has written down in a file of the job that this runs in. */
export async function runFront({ words, env }: CommandCall): Promise<number> {
  return await serveFront(words[0] ?? "", env);
}
