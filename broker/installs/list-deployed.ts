import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { Db } from "../database/connect.ts";
import { imageTypes } from "../deploys/deploy-part.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { componentKey, sandboxKey } from "./known-outputs.ts";
import type { DeployedComponent, DeployedImage, StateBase } from "./state-base.ts";
import type { ValuePlaces } from "./stored-values.ts";

type Row = {
  readonly name: string;
  /** Null: the sandbox. */
  readonly component_id: string | null;
  readonly install_component_id: string;
  readonly status: string;
  /** The deploy whose result stands; null: nothing of it is there, nor is what follows. */
  readonly deployed_id: string | null;
  readonly build_id: string | null;
  readonly type: string | null;
  readonly artifact: Partial<DeployedImage> | null;
  readonly version: string | null;
  readonly execution_id: string | null;
  readonly bytes: number;
};

/** What is deployed in an install of what a config has, and where the outputs of that are. */
export async function listDeployed(
  db: Db,
  org: OrgId,
  { installId, config }: { readonly installId: string; readonly config: AppConfigDocument },
): Promise<Pick<StateBase, "deployed"> & { readonly ends: ValuePlaces["ends"] }> {
  const rows = await db<Row[]>`
    select c.name, c.component_id, c.id as install_component_id, c.status,
           d.id as deployed_id, d.build_id, d.component_type as type, d.artifact,
           coalesce(nullif(b.artifact ->> 'source_ref', ''), b.git_ref) as version,
           o.execution_id, coalesce(length(o.sealed_outputs), octet_length(o.outputs::text), 0) as bytes
      from install_components c
      left join install_deploys d on d.org_id = c.org_id and d.id = c.deployed_id
      left join component_builds b on b.org_id = d.org_id and b.id = d.build_id
      left join lateral (select x.final_execution_id from runner_job_ends x where x.runner_job_id = d.outputs_job_id limit 1) e on true
      left join runner_job_execution_outputs o on o.execution_id = e.final_execution_id
     where c.org_id = ${org} and c.install_id = ${installId}
     order by c.component_id nulls first`;
  const [sandbox] = rows.filter((row) => row.component_id === null);
  const wanted = new Set((config.components ?? []).map(({ name }) => name));
  const components = newestByName(rows).toSorted(
    (a, b) => Number(wanted.has(b.name)) - Number(wanted.has(a.name)), // outputs are read so far as they may, in order
  );
  if (sandbox === undefined && components.length === 0) return { ends: [] };
  return {
    deployed: {
      components: components.map(toComponent),
      ...(sandbox !== undefined && {
        sandbox: {
          status: sandbox.status,
          type: sandbox.type ?? config.sandbox?.type ?? "terraform",
          version: sandbox.version ?? "",
        },
      }),
    },
    ends: [...(sandbox === undefined ? [] : [sandbox]), ...components].flatMap(endOf),
  };
}

/** A component may have the name of a deleted one, of which something may still be there. Of which config they are is asked by who renders. */
function newestByName(rows: readonly Row[]): Row[] {
  const known = rows.filter((row) => row.component_id !== null);
  return [...new Map(known.map((row) => [row.name, row])).values()];
}

function endOf({ name, component_id: id, ...row }: Row): ValuePlaces["ends"][number][] {
  if (row.deployed_id === null) return [];
  const { deployed_id, status, execution_id, bytes } = row;
  const key = id === null ? sandboxKey : componentKey(name);
  return [{ name: key, id: deployed_id, status, execution_id, bytes }];
}

function toComponent(row: Row): DeployedComponent {
  const { name, status, build_id, component_id, install_component_id } = row;
  const image = imageOf(row);
  return {
    name,
    status,
    build_id,
    component_id: component_id ?? "", // which the sandbox alone has not
    install_component_id,
    ...(image !== undefined && { image }),
  };
}

function imageOf({ type, artifact }: Row): DeployedImage | undefined {
  if (type === null || artifact === null || !imageTypes.includes(type)) return undefined;
  const { registry = "", repository = "", tag = "", digest = "", pull_secret = "" } = artifact;
  const isWhole = registry === "" || repository.startsWith(`${registry}/`);
  return {
    registry,
    repository: isWhole ? repository : `${registry}/${repository}`,
    tag,
    digest,
    pull_secret,
  };
}
