import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readInput } from "../connection/connection.ts";

/** A plan as it was written, from a file or standard input; a UsageError when it is no JSON object. */
export async function readPlan(file: string): Promise<string> {
  const text = await readInput(file);
  try {
    const plan: unknown = JSON.parse(text);
    if (typeof plan === "object" && plan !== null && !Array.isArray(plan)) return text.trim();
  } catch {
    throw new UsageError(`The plan in ${file} is not valid JSON.`);
  }
  throw new UsageError(`The plan in ${file} must be a JSON object.`);
}

/** The plan's own text goes into the body: reading and writing it would lose spaces and the digits of big numbers. */
export function withPlan(body: string, plan: string): string {
  return plan === "" ? body : `${body.slice(0, -1)},"plan":${plan}}`;
}
