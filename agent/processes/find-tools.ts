import { ChildError } from "./child-error.ts";
import { findProgram } from "./find-program.ts";

const places = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";
const names = ["sh", "dd", "setsid", "sleep", "du"] as const;
let found: string[] | undefined;

/** The paths of `sh`, `dd`, `setsid`, `sleep` and `du`, which a child's supervisor needs. Searched once. */
export async function findTools(): Promise<readonly string[]> {
  if (found !== undefined) return found;
  if (process.platform !== "linux") {
    throw new ChildError("Jobs can run only on Linux: the agent identifies processes by /proc.");
  }
  const tools: string[] = [];
  for (const name of names) {
    const place = await findProgram(name, { cwd: "/", search: places });
    if (place === undefined) {
      throw new ChildError(`${name} is missing in ${places}; the agent needs it to run jobs.`);
    }
    tools.push(place);
  }
  found = tools;
  return tools;
}
