import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";

type ComponentOfConfig = {
  readonly component_id: string;
  readonly name: string;
  readonly type: string;
};

/** The components that configs have, each once, as the first of these configs has it, by their names. */
export async function listComponentsOfConfigs(
  db: Db,
  org: OrgId,
  configs: readonly string[],
): Promise<ComponentOfConfig[]> {
  return db<ComponentOfConfig[]>`
    select distinct on (c.name) c.component_id, c.name, c.type
      from component_configs c
     where c.org_id = ${org} and c.app_config_id = any(${[...configs]}::text[])
     order by c.name, array_position(${[...configs]}::text[], c.app_config_id::text)`;
}
