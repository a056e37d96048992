import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { SealedParts } from "./row.ts";

/** The ids of the org's blobs by their digests, of those of these that it has; they stay for a day from now. */
export async function findBlobs(
  db: Db,
  org: OrgId,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db<{ id: string; digest: string }[]>`
    update source_blobs set used_at = svc_now() where org_id = ${org} and digest = any(${[...digests]}::text[])
    returning id, digest`;
  return new Map(rows.map(({ id, digest }) => [digest, id]));
}

/** Keeps a blob whose parts are there; answers the id of the org's one of that digest. */
export async function insertBlob(
  db: Db,
  org: OrgId,
  { blob, onlyPart }: { readonly blob: object; readonly onlyPart: Buffer | null },
): Promise<string | undefined> {
  const [row] = await db<{ id: string }[]>`
    select keep_source_blob(${org}, ${JSON.stringify(blob)}::text::json, ${onlyPart}) as id`;
  return row?.id;
}

/** What a job builds from, where that is a folder of its config's directory. */
export async function findSourceOfJob(
  db: Db,
  org: OrgId,
  jobId: string,
): Promise<SealedParts | undefined> {
  const [row] = await db<SealedParts[]>`
    select s.id, s.org_id, s.digest, s.size_bytes::float8 as size_bytes, s.parts, s.key_id, s.sealed_key
      from component_builds b
      join app_config_sources c on c.org_id = b.org_id and c.app_config_id = b.app_config_id
                               and c.component = case when b.component_id is null then '' else b.component_name end
      join source_blobs s on s.org_id = c.org_id and s.id = c.source_id
     where b.org_id = ${org} and b.runner_job_id = ${jobId}`;
  return row;
}
