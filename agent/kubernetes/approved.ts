import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { Job } from "../jobs/handler.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import type { Change, Diff } from "./change.ts";
import { digestOfDiff } from "./digest-of-diff.ts";
import { newKey } from "./keyed-digest.ts";
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
  /** By what all digests were made: whoever has it could guess short secrets by them. Agents of before had none. */
  key: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** Where it was planned; a job-deploy has it in its fingerprint. */
  cluster: z.object({ server: z.string(), uid: z.string().optional() }).optional(),
  /** In the order of the changes. */
  objects: z.array(z.object({ digest: z.string(), basis: z.string().optional() })).optional(),
  content_diff: z.array(change).optional().catch(undefined),
});
/** What somebody has approved: the diff with this fingerprint. */
export type Approved = z.infer<typeof approved>;

const mostContentsBytes = 64 * 2 ** 20;

/** What `apply_plan_contents` of a plan holds: what a job that plans brought. Throws JobFailure. */
export function readApproved(contents: string | null | undefined): Approved {
  if (!contents) throw invalidPlan("apply_plan_contents is missing: the plan that was approved");
  try {
    const bytes = gunzipSync(Buffer.from(contents, "base64"), {
      maxOutputLength: mostContentsBytes,
    });
    return approved.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    throw invalidPlan(
      "apply_plan_contents is not what a create-apply-plan or create-teardown-plan job of this kind brought",
    );
  }
}

/** By what a job's diff is digested: what was approved is compared by its own key. It is the same over restarts of the agent. */
export async function diffKey(job: Job, approved: Approved | undefined): Promise<string> {
  return approved?.key ?? (await job.once("diff-key", async () => await Promise.resolve(newKey())));
}

/** Whether a diff is the one that was approved; it was computed by the key of that. */
export function isApproved(diff: Diff, { fingerprint }: Approved): boolean {
  return digestOfDiff(diff) === fingerprint;
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
