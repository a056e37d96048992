import { blockWorkspaceRoute } from "../../../shared/api/terraform-workspaces.ts";
import type { JobFailure } from "../../jobs/job-failure.ts";
import { classify } from "./classify.ts";
import type { Rescued } from "./rescue-state.ts";
import type { Ran } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { terraformFailure } from "./terraform-failure.ts";

/** Whether terraform was ended by a signal, or nobody knows how: it has not come to rest by itself. */
export function isJobKilled({ end }: Ran): boolean {
  return end.code === null ? end.why !== "stopped" || end.tookMs > 0 : end.code > 128;
}

/**
 * Blocks the workspace of an apply that came to its end half-way, so that nobody goes on from it unasked, and answers the
 * failure that says so.
 */
export async function leaveHalfDone(
  context: TerraformContext,
  ran: Ran,
  { kind, rescued }: HalfDone,
): Promise<JobFailure> {
  const { end, said } = ran;
  const { begun, made, failed } = said;
  const open = begun - made - failed;
  const counts = `${made} of the changes that it began are made, ${failed} failed${open > 0 ? `, of ${open} nobody knows` : ""}`;
  const detail = `terraform apply ${end.words}: ${counts}. ${stateOf(ran, { kind, rescued })}`;
  const isBlocked = await block(context, kind, detail);
  const next = isBlocked
    ? `The workspace is blocked until somebody has looked: svc workspace unblock ${context.run.workspaceId}.`
    : "The workspace could not be blocked: look at it before the next apply.";
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
  /** What became of a state that it could not save itself. */
  readonly rescued: Rescued;
};

/** What is known of the state, which is what whoever looks has to begin with. */
function stateOf({ end, said }: Ran, { kind, rescued }: HalfDone): string {
  const where = {
    none: "",
    saved: "The agent saved the state that it left.",
    "at-broker": "The broker keeps the state that it left aside, as a rescued state.",
    "on-host": "The state that it left is sealed on this host, and goes to the broker later.",
  }[rescued];
  if (kind === "killed_dirty") {
    const lost =
      "What it was about to change may be missing in the state, and its lock may be left.";
    return where === "" ? lost : `${lost} ${where}`;
  }
  if (where !== "") return `It came to rest. ${where}`;
  return classify(end, said).class === "state_push_failed"
    ? "It came to rest, but could not save its state, and left none on this host: what it made may be missing in the state."
    : "It came to rest and saved its state.";
}

const patienceMs = 20_000;

/** By the broker itself, too, once it has the result; before that nobody else should have had the lock. */
async function block(context: TerraformContext, kind: string, detail: string): Promise<boolean> {
  const { job, run } = context;
  const params = { workspace_id: run.workspaceId };
  const reason = `${job.info.id}: ${job.redact(detail)}`.slice(0, 1_900).toWellFormed();
  try {
    const { token } = job;
    const how = { scope: "job", giveUpAfterMs: patienceMs, timeoutMs: patienceMs, token } as const;
    await job.agent.client.call(blockWorkspaceRoute, { params, body: { reason, kind } }, how);
    return true;
  } catch (error) {
    const told = { err: error, execution_id: job.executionId };
    job.agent.log.error(told, "a workspace could not be blocked");
    return false;
  }
}
