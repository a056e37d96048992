import { hiddenValue } from "../installs/install-state.ts";

/**
 * A plan in which these values are hidden wherever they stand, also within other texts and as base64; and the values of the
 * variables that belong to one run.
 */
export function hideValues(
  plan: Readonly<Record<string, unknown>>,
  values: readonly unknown[],
): Record<string, unknown> {
  const texts = values.flatMap(formsOf).filter((text) => text !== "");
  const longestFirst = [...new Set(texts)].sort((a, b) => b.length - a.length);
  const shown = Object.entries(plan).map(([name, value]) => [
    name,
    ownMembers.includes(name) ? allHidden(value) : hidden(value, longestFirst),
  ]);
  return Object.fromEntries(shown) as Record<string, unknown>;
}

const ownMembers: readonly string[] = ["override_env_vars", "secret_env_vars"];

function formsOf(value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const within = JSON.stringify(text).slice(1, -1);
  return [text, within, Buffer.from(text).toString("base64")];
}

function hidden(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === "string")
    return texts.reduce((shown, text) => shown.replaceAll(text, hiddenValue), value);
  if (Array.isArray(value)) return value.map((one) => hidden(one, texts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one, texts)]));
}

const allHidden = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.keys(value).map((name) => [name, hiddenValue]))
    : value;
