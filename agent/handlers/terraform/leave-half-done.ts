import type { JobFailure } from "../../jobs/job-failure.ts";
import { blockWorkspace } from "./block-workspace.ts";
import { classify } from "./classify.ts";
import type { Rescued } from "./rescue-state.ts";
import type { Ran } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { terraformFailure } from "./terraform-failure.ts";

/** Whether terraform was killed by a signal, or its end is unknown: it did not finish by itself. */
export function isJobKilled({ end }: Ran): boolean {
  return end.code === null ? end.why !== "stopped" || end.tookMs > 0 : end.code > 128;
}

/**
 * Blocks the workspace of an interrupted apply, so that nobody continues from it unawares, and returns the failure
 * that says so.
 */
export async function leaveHalfDone(
  context: TerraformContext,
  ran: Ran,
  { kind, rescued }: HalfDone,
): Promise<JobFailure> {
  const { end, said } = ran;
  const { begun, made, failed } = said;
  const open = begun - made - failed;
  const counts = `of the changes that it started, ${made} were made, ${failed} failed${open > 0 ? `, and ${open} are unknown` : ""}`;
  const detail = `terraform apply ${end.words}: ${counts}. ${stateOf(ran, { kind, rescued })}`;
  const { job, run } = context;
  const { workspaceId } = run;
  const isBlocked = await blockWorkspace(job, { workspaceId, kind, detail });
  const next = isBlocked
    ? `The workspace is blocked. Inspect it, then unblock it: svc workspace unblock ${workspaceId}.`
    : "The workspace could not be blocked: inspect it before the next apply.";
  return terraformFailure(`${detail} ${next}`, {
    class: kind,
    detail,
    code: end.code,
    diagnostics: said.diagnostics,
    metadata: { begun: String(begun), made: String(made), failed: String(failed) },
  });
}

type HalfDone = {
  readonly kind: "interrupted" | "killed_dirty";
  /** What happened to a state that it could not save itself. */
  readonly rescued: Rescued;
};

/** What is known of the state: whoever inspects the workspace needs that first. */
function stateOf({ end, said }: Ran, { kind, rescued }: HalfDone): string {
  const where = {
    none: "",
    saved: "The agent saved the state that it left.",
    "at-broker": "The broker keeps the state that it left as a rescued state.",
    "on-host": "The state that it left is sealed on this host and is sent to the broker later.",
  }[rescued];
  if (kind === "killed_dirty") {
    const lost = "What it was changing may be missing in the state, and its lock may be left.";
    return where === "" ? lost : `${lost} ${where}`;
  }
  if (where !== "") return `It stopped in an orderly way. ${where}`;
  return classify(end, said).class === "state_push_failed"
    ? "It stopped in an orderly way, but could not save its state and left none on this host: what it created may be missing in the state."
    : "It stopped in an orderly way and saved its state.";
}
