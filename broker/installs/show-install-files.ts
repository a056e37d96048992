import type { Install } from "../../shared/api/install.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { installFile } from "./install-file.ts";
import { showInputs } from "./keep-inputs.ts";
import { requireInstall } from "./keep-installs.ts";
import { terraformInstall } from "./terraform-install.ts";
import { toInstall } from "./to-install.ts";

type Parts = { readonly db: Db; readonly seals: Seals };

/** An install as a file of its app's config. */
export async function showInstallFile(parts: Parts, org: OrgId, id: string): Promise<string> {
  return installFile(await readInstall(parts, org, id));
}

/** An install as a configuration of Terraform, for a provider of this name. */
export async function showTerraformInstall(
  parts: Parts,
  org: OrgId,
  { id, provider }: { readonly id: string; readonly provider: string },
): Promise<string> {
  return terraformInstall({ ...(await readInstall(parts, org, id)), provider });
}

async function readInstall(
  parts: Parts,
  org: OrgId,
  id: string,
): Promise<{ readonly install: Install; readonly inputs: Readonly<Record<string, unknown>> }> {
  const row = await requireInstall(parts.db, org, id);
  const shown = await showInputs(parts, org, id);
  return { install: toInstall(row), inputs: shown.values };
}
