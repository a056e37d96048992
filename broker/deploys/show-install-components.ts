import type { DriftedObject } from "../../shared/api/drifted-objects.ts";
import type { InstallComponent } from "../../shared/api/install-components.ts";
import type { InstallDeploy } from "../../shared/api/install-deploys.ts";
import { componentTypeOf } from "../../shared/component-types.ts";
import { deployWord, deployWordV2 } from "../../shared/deploy-words.ts";
import { problem } from "../../shared/problem.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import type { Db } from "../database/connect.ts";
import { requireInstall } from "../installs/keep-installs.ts";
import type { ReadingParts } from "../installs/stored-values.ts";
import type { ShownRow } from "../installs/to-install.ts";
import { listNamedParts } from "../named-parts/named-part-queries.ts";
import { showComponents } from "../named-parts/show-named-parts.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import { deployRows, type ShownDeployRow } from "./deploy-rows.ts";
import { driftRows } from "./drift-rows.ts";
import { isEnabled } from "./is-enabled.ts";
import { outputsOf } from "./show-deploys.ts";
import {
  findTarget,
  listTargets,
  type ShownTargetRow,
  type TargetFilter,
} from "./target-queries.ts";

type OfInstall = { readonly installId: string; readonly componentId: string };

/** The config that an install has, or is to have. */
export const configIdOf = (
  install: Pick<ShownRow, "applied_config_id" | "expected_config_id">,
): string | null => install.applied_config_id ?? install.expected_config_id;

/** What an install has of components, by name; 404 without the install. `show` tells all of some of them. */
export async function prepareInstallComponents(
  db: Db,
  org: OrgId,
  { installId, filter }: { readonly installId: string; readonly filter: TargetFilter },
) {
  const install = await requireInstall(db, org, installId);
  const rows = await listTargets(db, org, { installId, configId: configIdOf(install), filter });
  const show = (some: readonly ShownTargetRow[]) => showAll(db, org, install, some);
  return { rows, show };
}

/** One of an install's components; 404 for what it has not. */
export async function showInstallComponent(
  db: Db,
  org: OrgId,
  which: OfInstall,
): Promise<InstallComponent> {
  const { install, target } = await requireTarget(db, org, which);
  const [shown] = await showAll(db, org, install, [target]);
  if (shown === undefined) throw problem.notFound("component");
  return shown;
}

/** What an install has of a component; 404 for what it has not. */
export async function requireTarget(
  db: Db,
  org: OrgId,
  { installId, componentId }: OfInstall,
): Promise<{ readonly install: ShownRow; readonly target: ShownTargetRow }> {
  const install = await requireInstall(db, org, installId);
  const configId = configIdOf(install);
  const target = await findTarget(db, org, { installId, configId, componentId });
  if (target === undefined)
    throw problem.notFound("component", "The install has no such component.");
  return { install, target };
}

/** The outputs of what is deployed of a component, as the JSON that was stored: empty where nothing is. */
export async function showComponentOutputs(
  parts: ReadingParts,
  org: OrgId,
  which: OfInstall,
): Promise<Buffer> {
  const { target } = await requireTarget(parts.db, org, which);
  const { deployed_id: id } = target;
  const found = id === null ? undefined : await deployRows.find(parts.db, org, { deploy_id: id });
  return await outputsOf(parts, org, found?.outputs_job_id ?? null);
}

async function showAll(
  db: Db,
  org: OrgId,
  install: ShownRow,
  rows: readonly ShownTargetRow[],
): Promise<InstallComponent[]> {
  if (rows.length === 0) return [];
  const ids = rows.flatMap(({ component_id: id }) => id ?? []);
  const page = { after: undefined, limit: ids.length, offset: 0 };
  const filter = { component_ids: ids };
  const named = await listNamedParts(db, org, {
    kind: "components",
    app: install.app_id,
    filter,
    ...page,
  });
  const [components, deploys, drifted, document] = await Promise.all([
    showComponents(db, org, named),
    findDeploys(db, org, rows),
    findDrifted(db, org, rows),
    readDocument(db, org, configIdOf(install)),
  ]);
  const byId = new Map(components.map((component) => [component.id, component]));
  return rows.map((row) => {
    const component = byId.get(row.component_id ?? "");
    const enabled = isEnabled(document, install.config?.component_toggles, row.name);
    return {
      ...toInstallComponent(row, deploys),
      ...(component && { component }),
      ...(drifted.has(row.id) && { drifted_object: drifted.get(row.id) }),
      ...(enabled !== undefined && { enabled }),
    };
  });
}

async function findDeploys(
  db: Db,
  org: OrgId,
  rows: readonly ShownTargetRow[],
): Promise<ReadonlyMap<string, ShownDeployRow>> {
  const ids = rows.flatMap((row) => [row.deployed_id ?? [], row.latest_id ?? []].flat());
  if (ids.length === 0) return new Map();
  const found = await db<ShownDeployRow[]>`
    ${db.unsafe(deployRows.select)} where d.org_id = ${org} and d.id = any(${ids}::text[])`;
  return new Map(found.map((row) => [row.id, row]));
}

async function findDrifted(
  db: Db,
  org: OrgId,
  rows: readonly ShownTargetRow[],
): Promise<ReadonlyMap<string, DriftedObject>> {
  const ids = rows.map(({ id }) => id);
  const found = await db<Parameters<typeof driftRows.toItem>[0][]>`
    ${db.unsafe(driftRows.select)} where h.org_id = ${org} and h.id = any(${ids}::text[]) and h.drift is not null`;
  return new Map(found.map((row) => [row.id, driftRows.toItem(row)]));
}

function toInstallComponent(
  row: ShownTargetRow,
  found: ReadonlyMap<string, ShownDeployRow>,
): Omit<InstallComponent, "component" | "enabled" | "drifted_object"> {
  const ids = [...new Set([row.latest_id, row.deployed_id])];
  const deploys = ids.flatMap((id): InstallDeploy[] => {
    const deploy = found.get(id ?? "");
    return deploy === undefined ? [] : [deployRows.toItem(deploy)];
  });
  const { status, status_description: description } = row;
  const v2 = status === "" ? "" : deployWordV2(status);
  return {
    id: row.id,
    org_id: row.org_id,
    install_id: row.install_id,
    component_id: row.component_id ?? "",
    component_name: row.name,
    component_type: componentTypeOf(row.part_type),
    synced: row.part_type !== null,
    status: status === "" ? "" : deployWord(status, "apply"),
    status_description: description,
    status_v2: toCompositeStatus({ status: v2, description, at: row.status_at }),
    deployed_id: row.deployed_id,
    latest_id: row.latest_id,
    install_deploys: deploys,
    terraform_workspace: placeOf(row, row.workspace_id),
    helm_chart: placeOf(row, row.chart_id),
    links: {},
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** Where terraform keeps its state, or helm its releases: it is the install's. */
function placeOf(row: ShownTargetRow, id: string) {
  const made = row.workspace_created_at ?? row.created_at;
  return {
    id,
    org_id: row.org_id,
    owner_id: row.install_id,
    owner_type: "installs",
    created_at: made.toISOString(),
    updated_at: (row.workspace_updated_at ?? made).toISOString(),
    created_by_id: row.created_by_id,
  };
}
