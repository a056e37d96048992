import { installs } from "../../shared/api/install.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { rowsOf } from "../resources/rows-of.ts";
import { type ShownRow, toInstall } from "./to-install.ts";

/** Installs that are not deleted, each with its runner, its lanes and the config in force. */
export const installRows = rowsOf<typeof installs, ShownRow>(installs, {
  from: [
    `installs i
     join apps a on a.org_id = i.org_id and a.id = i.app_id
     join runners u on u.org_id = i.org_id and u.id = i.runner_id`,
    "i",
  ],
  live: "i.deleted_at is null",
  boundTo: "installs",
  hasVersion: true,
  besides: {},
  whole: {
    columns: `
      i.*, a.name as app_name, a.active_config_id as expected_config_id, u.status as runner_status, u.status_description as runner_status_description,
      (select to_jsonb(c) from install_configs c where c.org_id = i.org_id and c.install_id = i.id order by c.id desc limit 1) as config,
      (select coalesce(json_agg(json_build_object('component_id', h.component_id, 'status', h.status, 'description', h.status_description,
                                                  'type', coalesce((select d.type from install_deploys d where d.org_id = h.org_id and d.id = h.latest_id), 'apply'))
                                order by h.component_id), '[]')
         from install_components h where h.install_id = i.id and h.org_id = i.org_id) as targets,
      (select coalesce(json_agg(json_build_object('id', q.id, 'name', q.name) order by q.id), '[]')
         from queues q where q.org_id = i.org_id and q.owner_type = 'installs' and q.owner_id = i.id and q.deleted_at is null) as queues`,
    toItem: toInstall,
  },
});

/** An install that is not deleted. */
export const findInstall = (db: Db, org: OrgId, id: string): Promise<ShownRow | undefined> =>
  installRows.find(db, org, { install_id: id });
