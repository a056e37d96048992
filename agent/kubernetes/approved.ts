import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { unfitPlan } from "../jobs/job-failure.ts";
import { type Change, type Diff, fingerprintOf } from "./change.ts";
import { digestOfAll, digestOfDiff } from "./digest-of-diff.ts";
import { refKey } from "./kube-object.ts";

const change = z.object({
  action: z.enum(["create", "update", "unchanged", "conflict", "delete", "keep"]),
  ref: z.object({
    apiVersion: z.string(),
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
  }),
  changes: z.array(
    z.object({
      path: z.string(),
      before: z.unknown().optional(),
      after: z.unknown().optional(),
    }),
  ),
  conflicts: z.array(z.object({ manager: z.string(), field: z.string() })),
  words: z.string(),
});
const approved = z.looseObject({
  op: z.enum(["apply", "teardown"]),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** By what the fingerprint was made, of kinds whose plans hold secrets that could be guessed. */
  key: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** In the order of the changes. */
  objects: z.array(z.object({ digest: z.string(), basis: z.string().optional() })).optional(),
  content_diff: z.array(change).optional().catch(undefined),
});
/** What somebody has approved: the diff with this fingerprint. */
export type Approved = z.infer<typeof approved>;

const mostContentsBytes = 64 * 2 ** 20;

/** What `apply_plan_contents` of a plan holds: what a job that plans brought. Throws JobFailure. */
export function readApproved(contents: string | null | undefined): Approved {
  if (!contents) throw unfitPlan("apply_plan_contents is missing: the plan that was approved");
  try {
    const bytes = gunzipSync(Buffer.from(contents, "base64"), {
      maxOutputLength: mostContentsBytes,
    });
    return approved.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    throw unfitPlan(
      "apply_plan_contents is not what a create-apply-plan or create-teardown-plan job of this kind brought",
    );
  }
}

/** Whether a diff is the one that was approved. A plan of an agent of before has nothing of its single changes. */
export function isApproved(diff: Diff, { op, fingerprint, objects }: Approved): boolean {
  if (objects === undefined) return fingerprintOf(diff) === fingerprint;
  return (
    digestOfDiff(diff) ===
    digestOfAll(
      op,
      objects.map(({ digest }) => digest),
    )
  );
}

/** The changes that were approved, by their objects: each holds for as long as its basis is the same. */
export function approvedChanges(
  { objects = [], content_diff: shown = [] }: Approved = { op: "apply", fingerprint: "" },
): Map<string, Change> {
  const known = new Map<string, Change>();
  for (const [at, one] of shown.entries()) {
    const { digest, basis } = objects[at] ?? {};
    if (digest === undefined || basis === undefined) continue;
    known.set(refKey(one.ref), { ...one, digest, basis });
  }
  return known;
}
