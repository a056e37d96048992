import { readInput } from "../connection/connection.ts";
import { requireObject, withMember } from "../flags/json-object.ts";

/** A plan as it was written, from a file or standard input; a UsageError when it is no JSON object. */
export async function readPlan(file: string): Promise<string> {
  return requireObject(await readInput(file), `The plan in ${file}`);
}

/** The body of a request with the plan in its own text. */
export function withPlan(body: string, plan: string): string {
  return plan === "" ? body : withMember(body, "plan", plan);
}
