import { hiddenValue } from "../hidden-value.ts";
import type { Hide } from "./shown-value.ts";

/** A shorter text is in too many others: hiding it would tell more than it hides. */
const leastSecret = 4;
const mostSecrets = 20_000;
/** Letters compared with secrets, in fours, all in all: what is past them is hidden as a whole. */
const mostWork = 1_000_000;
/** So much of a secret at the end of a text is hidden, too: its rest may have been cut off. */
const leastPart = 1024;

/** Words that stand where something was hidden before. */
export const hiddenWords: ReadonlySet<unknown> = new Set([
  hiddenValue,
  "(another secret)",
  "(sensitive value)",
]);

/**
 * Hides these texts in others, also as JSON has them and in base64. Where there are too many of them, or comparing them costs too much,
 * it hides everything.
 */
export function textHider(secrets: Iterable<string>): Hide {
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret.length >= leastSecret && !hiddenWords.has(secret)) known.add(secret);
  }
  if (known.size === 0) return (text) => text;
  if (known.size > mostSecrets) return () => hiddenValue;
  const forms = formsOf(known);
  const spent = { work: 0 };
  return (text) => hidden(text, forms, spent);
}

/** By their first letters, the longest first: it may begin as a shorter one does. */
type Forms = ReadonlyMap<string, readonly string[]>;

function formsOf(secrets: Iterable<string>): Forms {
  const forms = new Map<string, string[]>();
  const add = (form: string): void => {
    const key = form.slice(0, leastSecret);
    const same = forms.get(key);
    if (same === undefined) forms.set(key, [form]);
    else same.push(form);
  };
  for (const secret of secrets) {
    const escaped = JSON.stringify(secret).slice(1, -1);
    add(secret);
    if (escaped !== secret) add(escaped);
    add(Buffer.from(secret).toString("base64"));
  }
  for (const same of forms.values()) same.sort((a, b) => b.length - a.length);
  return forms;
}

function hidden(text: string, forms: Forms, spent: { work: number }): string {
  let shown = "";
  let from = 0;
  for (let at = 0; at + leastSecret <= text.length;) {
    const same = forms.get(text.slice(at, at + leastSecret));
    const length = same === undefined ? 0 : secretAt(text, at, { same, spent });
    if (spent.work > mostWork) return hiddenValue;
    if (length > 0) {
      shown += `${text.slice(from, at)}${hiddenValue}`;
      from = at + length;
    }
    at += Math.max(1, length);
  }
  return from === 0 ? text : shown + text.slice(from);
}

type Candidates = { readonly same: readonly string[]; readonly spent: { work: number } };

/** The letters of the secret that begins there; 0 where none does. */
function secretAt(text: string, at: number, { same, spent }: Candidates): number {
  const left = text.length - at;
  for (const form of same) {
    const isPart = form.length > left && left >= leastPart;
    if (form.length > left && !isPart) continue;
    spent.work += 1 + Math.min(form.length, left) / 4;
    if (isPart ? form.startsWith(text.slice(at)) : text.startsWith(form, at)) {
      return Math.min(form.length, left);
    }
  }
  return 0;
}
