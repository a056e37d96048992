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
  /** The key of all digests; with it, short secrets could be guessed from them. Older agents had none. */
  key: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** The cluster that it was planned for; a job-deploy has it in its fingerprint. */
  cluster: z.object({ server: z.string(), uid: z.string().optional() }).optional(),
  /** In the order of the changes. */
  objects: z.array(z.object({ digest: z.string(), basis: z.string().optional() })).optional(),
  content_diff: z.array(change).optional().catch(undefined),
});
/** An approved plan: the diff with this fingerprint. */
export type Approved = z.infer<typeof approved>;

const mostContentsBytes = 64 * 2 ** 20;

/** Reads `apply_plan_contents` of a plan: the contents that the planning job made. Throws JobFailure. */
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

/**
 * The key for the digests of a job's diff: that of the approved plan, if there is one. It is the same after a restart
 * of the agent.
 */
export async function diffKey(job: Job, approved: Approved | undefined): Promise<string> {
  return approved?.key ?? (await job.once("diff-key", async () => await Promise.resolve(newKey())));
}

/** Whether a diff, computed with the plan's key, is the approved one. */
export function isApproved(diff: Diff, { fingerprint }: Approved): boolean {
  return digestOfDiff(diff) === fingerprint;
}

/** The approved changes by their objects; each is valid while its basis is the same. */
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
