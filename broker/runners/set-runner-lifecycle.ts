import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { type ChangeListeners, notifyChange } from "./notify-change.ts";
import { writeLifecycle } from "./queries.ts";
import type { RunnerRow } from "./row.ts";

/**
 * Enables, disables, deprovisions or deletes a runner: what it may run, its waiting jobs and its status
 * follow in the same statement. The current lifecycle again changes nothing; a delete is 409 while an execution runs.
 */
export async function setRunnerLifecycle(
  broker: ChangeListeners & { readonly db: Db },
  actor: Pick<Actor, "id" | "orgId">,
  to: { readonly id: string; readonly lifecycle: RunnerRow["lifecycle"] },
): Promise<void> {
  const ids = { operationId: newId("rop"), actorId: actor.id };
  const change = await writeLifecycle(broker.db, actor.orgId, { ...to, ...ids });
  if (change === undefined || change.outcome === "not-found") throw problem.notFound("runner");
  if (change.outcome === "busy") {
    const detail =
      "An execution of this runner is in progress. Wait for its end, cancel it, or deprovision the runner.";
    throw problem.conflict("runner_busy", detail);
  }
  if (change.outcome === "deprovisioned") {
    throw problem.conflict("runner_deprovisioned", "The runner is deprovisioned. Enable it first.");
  }
  if (change.outcome === "done") notifyChange(broker, actor.orgId, change);
}
