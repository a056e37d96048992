import type { InstallUpdate, NewInstallUpdates } from "../../shared/api/update-installs.ts";
import { Problem, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireConfigInForce, updateInstallConfig } from "./begin-workflow.ts";
import { listToUpdate } from "./queries.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Which = { readonly app: string; readonly configId: string };
type Updates = { readonly installs: InstallUpdate[]; readonly next_after: string | null };

/**
 * Begins to bring installs of an app to one of its configs, each by a workflow of its own, one after the other; answers what became of
 * each. 404 and 409 where no install could be brought to it.
 */
export async function updateInstalls(
  parts: Parts,
  actor: Pick<Actor, "id" | "orgId" | "bound">,
  { app, configId }: Which,
  asked: NewInstallUpdates & { readonly most: number },
): Promise<Updates> {
  await requireConfigInForce(parts.db, actor.orgId, { app, configId });
  const { update_all: isAll, install_ids: ids, after, most } = asked;
  const wanted = isAll ? { after, limit: most + 1 } : { ids, limit: most };
  const { bound } = actor;
  const rows = await listToUpdate(parts.db, actor.orgId, { app, configId, bound, ...wanted });
  const installs: InstallUpdate[] = [];
  for (const { id, is_there } of rows.slice(0, most))
    installs.push(
      is_there
        ? { install_id: id, outcome: "unchanged", workflow_id: null, code: null, detail: null }
        : await begin(parts, actor, { id, configId }),
    );
  const found = new Set(rows.map(({ id }) => id));
  for (const id of new Set(isAll ? [] : ids)) if (!found.has(id)) installs.push(notFound(id));
  const hasMore = isAll && rows.length > most;
  return { installs, next_after: hasMore ? (installs.at(-1)?.install_id ?? null) : null };
}

async function begin(
  parts: Parts,
  actor: Pick<Actor, "id" | "orgId">,
  { id, configId }: { readonly id: string; readonly configId: string },
): Promise<InstallUpdate> {
  try {
    const workflowId = await updateInstallConfig(parts, actor, { id, configId, planOnly: false });
    return { install_id: id, outcome: "begun", workflow_id: workflowId, code: null, detail: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refused(id, error);
  }
}

const notFound = (id: string): InstallUpdate => refused(id, problem.notFound("install"));

const refused = (id: string, { code, message }: Problem): InstallUpdate => ({
  install_id: id,
  outcome: "refused",
  workflow_id: null,
  code,
  detail: message,
});
