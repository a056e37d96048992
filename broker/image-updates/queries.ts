import type { ImageUpdateStatus } from "../../shared/image-update-statuses.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** What is kept of a component that follows an image. */
export type ImageUpdateRow = {
  readonly component_id: string;
  readonly app_id: string;
  readonly policy: string;
  readonly checksum: string;
  readonly runner_job_id: string | null;
  readonly status: ImageUpdateStatus;
  readonly detail: string;
  readonly tag: string;
  readonly digest: string;
  readonly build_id: string | null;
  readonly looked_at: Date | null;
  /** Whether that job has not ended. */
  readonly is_looking: boolean;
};

/** An app whose images are looked at, as it is now. */
export type FollowingApp = {
  readonly org: { readonly id: string; readonly name: string };
  readonly app: { readonly id: string; readonly name: string };
  readonly config_id: string | null;
};

/** An app that is not deleted, and which config is in force. */
export async function findFollowingApp(
  db: Db,
  org: OrgId,
  app: string,
): Promise<FollowingApp | undefined> {
  const [row] = await db<FollowingApp[]>`
    select jsonb_build_object('id', o.id, 'name', o.name) as org, jsonb_build_object('id', a.id, 'name', a.name) as app,
           a.active_config_id as config_id
      from apps a join orgs o on o.id = a.org_id
     where a.org_id = ${org} and a.id = ${app} and a.deleted_at is null`;
  return row;
}

/** What is kept of an app's components that follow images. */
export async function listImageUpdates(db: Db, org: OrgId, app: string): Promise<ImageUpdateRow[]> {
  return db<ImageUpdateRow[]>`
    select u.component_id, u.app_id, u.policy, u.checksum, u.runner_job_id, u.status, u.detail, u.tag, u.digest, u.build_id, u.looked_at,
           exists (select from runner_job_live j where j.id = u.runner_job_id) as is_looking
      from image_updates u where u.org_id = ${org} and u.app_id = ${app} order by u.component_id`;
}

/** The org's own runner that looks: of those that take jobs one whose processes take builds and looks before others. */
export type LookingRunner = {
  readonly id: string;
  readonly builds: boolean;
  readonly looks: boolean;
  /** Which plans the agents read that look, of several the oldest; null where none of them says. */
  readonly reads_plans: number | null;
};

/** With which an org looks at images; undefined where it has no runner of its own that takes jobs. */
export async function findLookingRunner(db: Db, org: OrgId): Promise<LookingRunner | undefined> {
  const [row] = await db<LookingRunner[]>`
    select r.id, r.builds, r.looks, r.reads_plans
      from (select u.id, g.created_at, s.*
              from runner_groups g join runners u on u.org_id = g.org_id and u.runner_group_id = g.id
             cross join lateral (select coalesce(bool_or(p.serves is null or p.serves ? 'build'), false) as builds,
                                        coalesce(bool_or(p.serves is null or p.serves ? 'sync'), false) as looks,
                                        min(p.reads_plans) filter (where p.serves is null or p.serves ? 'sync') as reads_plans
                                   from runner_processes p
                                  where p.org_id = u.org_id and p.runner_id = u.id and p.status = 'active' and p.draining is null) s
             where g.org_id = ${org} and g.type = 'org' and g.deleted_at is null and u.lifecycle = 'enabled') r
     order by not (r.builds and r.looks), not r.builds, r.created_at, r.id limit 1`;
  return row;
}

/** Says of all components of an app that follow images why none is looked at. */
export async function failLooks(db: Db, org: OrgId, app: string, why: string): Promise<void> {
  await db`
    update image_updates set status = 'failed', detail = ${why} where org_id = ${org} and app_id = ${app}`;
}
