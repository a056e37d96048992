import type { RunnerGroupChanges } from "../../shared/api/runner-groups.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listLiveProcesses } from "../runners/queries.ts";
import { topics } from "../wake/wakes.ts";
import { updateGroupColumns } from "./queries.ts";

/** Changes what a group is called, whose it is and where it runs; its settings show the platform, too. */
export async function updateRunnerGroup(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  org: OrgId,
  update: { readonly id: string; readonly changes: RunnerGroupChanges },
): Promise<void> {
  const isThere = await updateGroupColumns(db, org, update);
  if (!isThere) throw problem.notFound("runner group");
  if (update.changes.platform === undefined) return;
  const processIds = await listLiveProcesses(db, org, update.id);
  wakes.notify(processIds.map(topics.process));
}
