import { driftedObjects } from "../../shared/api/drifted-objects.ts";
import { rowsOf } from "../resources/rows-of.ts";

const told = (name: string): string => `h.drift ->> '${name}'`;
const count = (name: string): string => `coalesce((${told(name)})::int, 0)`;

/** What installs have of components and sandboxes that differs from what was deployed, by the last look. */
export const driftRows = rowsOf(driftedObjects, {
  from: [
    "install_components h left join install_deploys d on d.org_id = h.org_id and d.id = h.deployed_id",
    "h",
  ],
  live: "h.drift is not null",
  besides: {
    target_type:
      "case when h.component_id is null then 'install_sandbox_runs' else 'install_deploys' end",
    target_id: told("deploy_id"),
    install_workflow_id: told("workflow_id"),
    component_name: "h.name",
    install_component_id: "case when h.component_id is not null then h.id end",
    install_sandbox_id: "case when h.component_id is null then h.id end",
    component_build_id: "case when h.component_id is not null then d.build_id end",
    app_sandbox_config_id: "case when h.component_id is null then d.app_config_id end",
    added: count("added"),
    changed: count("changed"),
    replaced: count("replaced"),
    removed: count("removed"),
    seen_at: `(${told("at")})::timestamptz`,
  },
});
