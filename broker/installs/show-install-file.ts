import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { installFile } from "./install-file.ts";
import { showInputs } from "./keep-inputs.ts";
import { requireInstall } from "./keep-installs.ts";
import { toInstall } from "./to-install.ts";

/** An install as a file of its app's config. */
export async function showInstallFile(
  parts: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  id: string,
): Promise<string> {
  const row = await requireInstall(parts.db, org, id);
  const shown = await showInputs(parts, org, id);
  return installFile({ install: toInstall(row), inputs: shown.values });
}
