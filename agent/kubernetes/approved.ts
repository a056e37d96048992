import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { unfitPlan } from "../jobs/job-failure.ts";

const approved = z.looseObject({
  op: z.enum(["apply", "teardown"]),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
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
