import { gzipSync } from "node:zlib";
import type { Job, JobResult } from "../jobs/handler.ts";
import { countsOf, type Diff } from "./change.ts";
import { comparable, type MemberChange } from "./diff-objects.ts";
import { digestOfChange, digestOfDiff } from "./digest-of-diff.ts";
import { type KubeObject, refWords } from "./kube-object.ts";
import { maskedChange, maskedObject } from "./masked-change.ts";

/**
 * The contents of a planning job's result: the redacted diff, for people and for programs, with further facts; what is shown has the
 * objects that change, too, which policies judge. The part for the apply also has the key and the digests by which it recognizes the
 * same changes.
 */
export function diffContents(job: Job, diff: Diff, told: object): NonNullable<JobResult["result"]> {
  const { op, key, changes } = diff;
  const shown = {
    version: 2,
    op,
    fingerprint: digestOfDiff(diff),
    counts: countsOf(diff),
    plan: diffLines(diff, job.redact).join("\n"),
    content_diff: changes.map((change) =>
      shownAll({ ...maskedChange(change), basis: undefined, whole: undefined }, job.redact),
    ),
    ...told,
  };
  const objects = changes.map((change) => ({
    digest: digestOfChange(change, key),
    basis: change.basis,
  }));
  return {
    contents_compressed: packed({ ...shown, key, objects }),
    contents_display_compressed: packed({
      ...shown,
      content_diff: withObjects(shown.content_diff, diff, job.redact),
    }),
  };
}

/** All in all; past it the objects that are left are not told. */
const mostObjectLetters = 16 * 2 ** 20;

/** The shown changes with the objects as they are and will be; of one that is created the change tells it. */
function withObjects(
  shown: readonly unknown[],
  { changes, key }: Diff,
  redact: (text: string) => string,
): readonly unknown[] {
  let letters = 0;
  return shown.map((one, at) => {
    const whole = changes[at]?.whole;
    if (whole === undefined || letters > mostObjectLetters) return one;
    const told = shownAll(
      { object: shownObject(whole.after, key), old_object: shownObject(whole.before, key) },
      redact,
    );
    letters += JSON.stringify(told).length;
    return Object.assign({}, one, told);
  });
}

function shownObject(object: KubeObject | undefined, key: string): unknown {
  const told = comparable(object, key);
  return object?.apiVersion === "v1" && object.kind === "Secret" ? maskedObject(told) : told;
}

const packed = (value: object): string => gzipSync(JSON.stringify(value)).toString("base64");

const signs = { create: "+", update: "~", unchanged: " ", conflict: "!", delete: "-", keep: " " };
const mostValue = 200;

/** The diff for people: a line for each object, and one for each changed member. */
export function diffLines({ changes }: Diff, shown: (text: string) => string): string[] {
  return changes.map(maskedChange).flatMap((change) => {
    const { action, ref, conflicts, words } = change;
    const why = words === "" ? "" : `: ${words}`;
    const head = `${signs[action]} ${refWords(ref)} (${action}${why})`;
    const members =
      action === "update" ? change.changes.map((member) => memberLine(member, shown)) : [];
    const taken = conflicts.map(
      ({ manager, field }) =>
        `    ${field} is managed by ${manager}${action === "conflict" ? "" : ": it is taken over"}`,
    );
    return [head, ...members, ...taken];
  });
}

function memberLine(
  { path, before, after }: MemberChange,
  shown: (text: string) => string,
): string {
  return `    ${path}: ${valueWords(before, shown)} -> ${valueWords(after, shown)}`;
}

/** Cut only after redaction: a part of a secret would not be recognized. */
function valueWords(value: unknown, shown: (text: string) => string): string {
  if (value === undefined) return "(none)";
  const text = shown(JSON.stringify(value));
  return text.length > mostValue ? `${text.slice(0, mostValue)}…` : text;
}

function shownAll(value: unknown, shown: (text: string) => string): unknown {
  if (typeof value === "string") return shown(value);
  if (typeof value === "number") {
    const text = shown(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => shownAll(item, shown));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, inner]) => [name, shownAll(inner, shown)]));
}
