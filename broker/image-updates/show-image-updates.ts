import type { ShownImageUpdate } from "../../shared/api/components.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { ImageUpdateRow } from "./queries.ts";

type Row = Omit<ImageUpdateRow, "app_id" | "checksum" | "runner_job_id"> & {
  readonly emitter_id: string | null;
  readonly is_paused: boolean;
};

/** What is known of newer images of these components, by the ids of those that follow one. */
export async function showImageUpdates(
  db: Db,
  org: OrgId,
  components: readonly string[],
): Promise<ReadonlyMap<string, ShownImageUpdate>> {
  if (components.length === 0) return new Map();
  const rows = await db<Row[]>`
    select u.component_id, u.policy, u.status, u.detail, u.tag, u.digest, u.build_id, u.looked_at,
           u.runner_job_id is not null as is_looking,
           e.id as emitter_id, coalesce(e.status = 'paused', false) as is_paused
      from image_updates u
      left join lateral (select e.id, e.status from queues q join queue_emitters e on e.org_id = q.org_id and e.queue_id = q.id
                          where q.org_id = u.org_id and q.owner_type = 'apps' and q.owner_id = u.app_id and q.name = 'builds'
                            and q.deleted_at is null and e.signal_type = 'image-update'
                          order by e.id limit 1) e on true
     where u.org_id = ${org} and u.component_id = any(${[...components]}::text[])`;
  return new Map(rows.map((row) => [row.component_id, toShown(row)]));
}

const toShown = (row: Row): ShownImageUpdate => ({
  policy: row.policy,
  status: row.status,
  status_description: row.detail,
  tag: row.tag,
  digest: row.digest,
  build_id: row.build_id,
  looked_at: row.looked_at?.toISOString() ?? null,
  looking: row.is_looking,
  emitter_id: row.emitter_id,
  paused: row.is_paused,
});
