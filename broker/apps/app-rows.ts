import { apps } from "../../shared/api/app.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** Apps that are not deleted. */
export const appRows = rowsOf(apps, {
  from: ["apps a", "a"],
  live: "a.deleted_at is null",
  boundTo: "apps",
  hasVersion: true,
  besides: {
    names: "a.name || chr(10) || a.display_name",
    queue_id: `coalesce((select q.id::text from queues q
                         where q.org_id = a.org_id and q.owner_type = 'apps' and q.owner_id = a.id and q.name = 'builds'
                           and q.app_id = a.id and q.deleted_at is null), '')`,
    cloud_platform: "coalesce(substring(a.runner_type from '^(aws|azure|gcp)'), '')",
    status: "'active'::text",
    status_description: "''::text",
    status_v2: `json_build_object('status', 'active', 'status_human_description', '', 'created_at_ts',
                                  (extract(epoch from a.created_at) * 1000)::bigint, 'metadata', '{}'::json, 'history', '[]'::json)`,
  },
});
