import { problem } from "../../../shared/problem.ts";
import type { Workflow } from "./workflow-rows.ts";

/** Who stands behind somebody or something: ids of accounts and tokens, as `chain_of` of the database finds them. */
export type Chain = readonly string[];
type Guarded = Pick<Workflow, "chain" | "prevents_self_approval">;

/** Refuses with 403 who stands behind the workflow, where its org keeps them from approving it, or did when it began. */
export function requireOther(workflow: Guarded, approver: Chain): void {
  if (!workflow.prevents_self_approval || !isShared(workflow, approver)) return;
  throw problem.forbidden(
    "self_approval",
    "You began, retried or resumed this workflow, or made the token, emitter or config by which that was done, or one of these " +
      "made yours; and the org has somebody else approve it (prevent_self_approval).",
  );
}

/**
 * Whether everything of the workflow is approved already: an approve-all is no answer from who stands behind the workflow, or from
 * nobody knows whom, where that is prevented.
 */
export function isApprovedAlready({
  approval_option: option,
  approve_all_chain: setter,
  ...workflow
}: Guarded & Pick<Workflow, "approval_option" | "approve_all_chain">): boolean {
  if (option !== "approve-all") return false;
  return !workflow.prevents_self_approval || (setter !== null && !isShared(workflow, setter));
}

const isShared = ({ chain }: Guarded, other: Chain): boolean =>
  other.some((id) => chain.includes(id));
