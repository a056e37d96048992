import { UsageError } from "../../shared/command-line/usage-error.ts";

/** The text of a JSON object, trimmed; a UsageError that begins with `what` when it is none. */
export function requireObject(text: string, what: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${what} is not valid JSON.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`${what} must be a JSON object.`);
  }
  return text.trim();
}

/** The text goes into the body as it was written: reading and writing it would lose spaces and the digits of big numbers. */
export function withMember(body: string, name: string, text: string): string {
  const comma = body === "{}" ? "" : ",";
  return `${body.slice(0, -1)}${comma}${JSON.stringify(name)}:${text}}`;
}
