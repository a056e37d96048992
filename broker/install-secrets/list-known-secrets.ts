import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import type { Db } from "../database/connect.ts";
import type { KnownSecret, SecretPlaceMembers, SyncedSecret } from "../installs/state-base.ts";
import type { OrgId } from "../orgs/org-id.ts";

type Row = {
  readonly places: readonly (SecretPlaceMembers & { readonly name: string })[];
  readonly synced: Readonly<Record<string, SyncedSecret>> | null;
};

/** What is known of each secret that a config has; undefined where it has none. */
export async function listKnownSecrets(
  db: Db,
  org: OrgId,
  { installId, config }: { readonly installId: string; readonly config: AppConfigDocument },
): Promise<readonly KnownSecret[] | undefined> {
  const wanted = config.secrets?.secret ?? [];
  if (wanted.length === 0) return undefined;
  const [row] = await db<Row[]>`
    select coalesce((select jsonb_agg(jsonb_build_object(
                              'name', s.name, 'arn', s.arn, 'gcp_secret_name', s.gcp_secret_name,
                              'azure_key_vault_secret_id', s.azure_key_vault_secret_id))
                       from install_secrets s where s.org_id = ${org} and s.install_id = ${installId}), '[]') as places,
           (select y.secrets from install_secret_syncs y where y.org_id = ${org} and y.install_id = ${installId}) as synced`;
  const places = new Map(row?.places.map(({ name, ...place }) => [nameKey(name), place]));
  return wanted.map(({ name }) => ({
    name,
    place: places.get(nameKey(name)),
    synced: row?.synced?.[name],
  }));
}
