import { replaceEach } from "../../shared/find-text.ts";
import { hiddenValue } from "../installs/install-state.ts";

/**
 * A plan in which these values are hidden wherever they stand, also within other texts and as base64; those that were hidden when it
 * was made, which it names as its `secrets`; and the values of the variables that belong to one run.
 */
export function hideValues(
  plan: Readonly<Record<string, unknown>>,
  values: readonly unknown[],
): Record<string, unknown> {
  const named: readonly unknown[] = Array.isArray(plan["secrets"]) ? plan["secrets"] : [];
  const longestFirst = textsOf([...values, ...named]);
  const shown = Object.entries(plan).map(([name, value]) => [
    name,
    ownMembers.includes(name) ? allHidden(value) : hidden(value, longestFirst),
  ]);
  return Object.fromEntries(shown) as Record<string, unknown>;
}

/** A text in which these values are hidden wherever they stand; also the begin of one, where the text was cut off within it. */
export function hideInText(text: string, values: readonly unknown[]): string {
  const texts = textsOf(values);
  const shown = hidden(text, texts) as string; // a text stays one
  if (!shown.endsWith(cutOff)) return shown;
  const kept = shown.slice(0, -cutOff.length);
  for (let at = 0; at <= kept.length - leastOfCut; at++) {
    const rest = kept.slice(at);
    if (texts.some((one) => one.startsWith(rest)))
      return `${kept.slice(0, at)}${hiddenValue}${cutOff}`;
  }
  return shown;
}

/** How long texts of faults end. */
const cutOff = "…";
/** Fewer letters tell nothing. */
const leastOfCut = 3;

/** The forms in which values stand in texts, the longest first: none is part of one after it. */
function textsOf(values: readonly unknown[]): string[] {
  const texts = values.flatMap(formsOf).filter((text) => text !== "");
  return [...new Set(texts)].sort((a, b) => b.length - a.length);
}

const ownMembers: readonly string[] = ["override_env_vars", "secret_env_vars"];

function formsOf(value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const within = JSON.stringify(text).slice(1, -1);
  return [text, within, Buffer.from(text).toString("base64")];
}

function hidden(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === "string")
    return texts.reduce((shown, text) => replaceEach(shown, text, hiddenValue), value);
  if (Array.isArray(value)) return value.map((one) => hidden(one, texts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one, texts)]));
}

const allHidden = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.keys(value).map((name) => [name, hiddenValue]))
    : value;
