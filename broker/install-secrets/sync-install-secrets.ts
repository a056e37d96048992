import { problem } from "../../shared/problem.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import type { Db } from "../database/connect.ts";
import { beginWorkflow } from "../installs/begin-workflow.ts";
import { requireInstall } from "../installs/keep-installs.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";

type How = { readonly installId: string; readonly role: string; readonly planOnly: boolean };

/** Begins to sync the secrets of an install; answers the workflow's id. 409 for one that never was provisioned, or whose config has no secrets. */
export async function syncInstallSecrets(
  parts: { readonly db: Db; readonly seals: Seals },
  actor: Pick<Actor, "id" | "orgId" | "requestSeed">,
  { installId, role, planOnly }: How,
): Promise<string> {
  const { db } = parts;
  const install = await requireInstall(db, actor.orgId, installId);
  if (install.lifecycle_phase === "created")
    throw problem.conflict("never_provisioned", "This install was never provisioned.");
  const configId = install.applied_config_id ?? install.expected_config_id;
  const document = await readDocument(db, actor.orgId, configId);
  if ((document?.secrets?.secret ?? []).length === 0)
    throw problem.conflict("no_secrets", "The install's config has no secrets.");
  const workflow = { type: "sync_secrets", role, planOnly } as const;
  return beginWorkflow(parts, actor, { installId, workflow });
}
