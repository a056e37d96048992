import { gzipSync } from "node:zlib";
import type { Job, JobResult } from "../jobs/handler.ts";
import { countsOf, type Diff } from "./change.ts";
import type { MemberChange } from "./diff-objects.ts";
import { digestOfChange, digestOfDiff } from "./digest-of-diff.ts";
import { refWords } from "./kube-object.ts";
import { maskedChange } from "./masked-change.ts";

/**
 * The contents of a planning job's result: the redacted diff, for people and for programs, with further facts. The
 * part for the apply also has the key and the digests by which it recognizes the same changes.
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
      shownAll({ ...maskedChange(change), basis: undefined }, job.redact),
    ),
    ...told,
  };
  const objects = changes.map((change) => ({
    digest: digestOfChange(change, key),
    basis: change.basis,
  }));
  return {
    contents_compressed: packed({ ...shown, key, objects }),
    contents_display_compressed: packed(shown),
  };
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
  if (Array.isArray(value)) return value.map((item) => shownAll(item, shown));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, inner]) => [name, shownAll(inner, shown)]));
}
