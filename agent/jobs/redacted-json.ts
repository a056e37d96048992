import type { Job } from "./handler.ts";

/** The value as JSON without secrets; it stays JSON, also where a number is one. */
export function redactedJson(
  { redact, redactJson }: Pick<Job, "redact" | "redactJson">,
  value: unknown,
  indent?: number,
): string {
  const text = JSON.stringify(value, undefined, indent);
  if (redact(text) === text) return text; // as most are: cheaper than a look at each value
  const safe = JSON.stringify(redactJson(value), undefined, indent);
  const whole = redact(safe); // a secret may be JSON of several values
  return isJson(whole) ? whole : safe;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
