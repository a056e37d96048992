import { hiddenValue } from "../../shared/hidden-value.ts";
import type { Job } from "./handler.ts";

type Redacting = Pick<Job, "redact" | "redactJson">;

/** The value as JSON without secrets; it stays JSON, also where a number is one, or a secret is JSON of several values. */
export function redactedJson(job: Redacting, value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  if (job.redact(text) === text) return text; // as most are: cheaper than a look at each value
  const safe = JSON.stringify(job.redactJson(value), undefined, indent);
  const whole = job.redact(safe);
  if (whole === safe || isJson(whole)) return whole;
  const hidden = JSON.stringify(withoutStructures(job, JSON.parse(safe)), undefined, indent);
  return job.redact(hidden) === hidden ? hidden : JSON.stringify(hiddenValue);
}

/** Objects and lists that are secrets as they are written are hidden, from within. */
function withoutStructures({ redact }: Redacting, value: unknown): unknown {
  const look = (one: unknown): unknown => {
    if (typeof one !== "object" || one === null) return one;
    const made = Array.isArray(one)
      ? one.map(look)
      : Object.fromEntries(Object.entries(one).map(([name, member]) => [name, look(member)]));
    const text = JSON.stringify(made);
    return redact(text) === text ? made : hiddenValue;
  };
  return look(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
