import { hiddenValue } from "../hidden-value.ts";
import type { Hide } from "./shown-value.ts";

/** A shorter text is in too many others: hiding it would tell more than it hides. */
const leastSecret = 4;
const mostSecrets = 1_000;

/** Words that stand where something was hidden before. */
export const hiddenWords: ReadonlySet<unknown> = new Set([
  hiddenValue,
  "(another secret)",
  "(sensitive value)",
]);

/** Hides these texts in others, also as JSON has them and in base64; the longest first, as none is part of one after it. */
export function textHider(secrets: Iterable<string>): Hide {
  const forms = new Set<string>();
  for (const secret of [...new Set(secrets)].slice(0, mostSecrets)) {
    if (secret.length < leastSecret || hiddenWords.has(secret)) continue;
    forms.add(secret);
    forms.add(JSON.stringify(secret).slice(1, -1));
    forms.add(Buffer.from(secret).toString("base64"));
  }
  const all = [...forms].sort((a, b) => b.length - a.length);
  if (all.length === 0) return (text) => text;
  return (text) => all.reduce((shown, form) => shown.replaceAll(form, () => hiddenValue), text);
}
