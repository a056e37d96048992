import { typedConfigMembers } from "../../shared/api/typed-config-members.ts";
import { showActionConfigsOf } from "../actions/show-app-actions.ts";
import type { Db } from "../database/connect.ts";
import { listPartConfigs } from "../named-parts/list-part-configs.ts";
import { showComponentConfigs } from "../named-parts/show-part-configs.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { AppConfigRow } from "./row.ts";
import { toPart } from "./show-parts.ts";
import { storedDocument } from "./stored-document.ts";

const everyOne = { after: undefined, limit: 1000, offset: 0 };

/** A complete config's parts as records: its inputs, roles, policies …, and the configs of its components and actions. */
export async function showTypedParts(
  db: Db,
  org: OrgId,
  row: AppConfigRow,
): Promise<Readonly<Record<string, unknown>>> {
  const document = await storedDocument(db, org, row.id);
  if (document === undefined) return {};
  const kind = "components" as const;
  const [components, actions] = await Promise.all([
    listPartConfigs(db, org, { kind, config: row.id, ...everyOne }),
    showActionConfigsOf(db, org, row, document),
  ]);
  const parts = typedConfigMembers.parts.flatMap(({ section, member }) => {
    const part = document[section];
    return part === undefined ? [] : [[member, toPart(row, section, part)] as const];
  });
  return {
    ...Object.fromEntries(parts),
    component_config_connections: await showComponentConfigs(db, org, components),
    action_workflow_configs: actions,
  };
}
