import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { givenApp } from "../apps/given-app.ts";
import { givenOrg } from "../rows/given.ts";

export type GivenBuild = {
  readonly status?: string;
  readonly noOp?: boolean;
  readonly digest?: string;
  /** Of the tag; its own unless told. */
  readonly tag?: string;
  readonly repository?: string;
  readonly configId?: string;
  /** Of the component that is there at first; null: of the sandbox. */
  readonly componentId?: string | null;
};

/** An app with a component and a config, whose builds are rows, as they are after their workflows have gone. */
export async function givenKeptBuilds(db: Db, { orgId: given }: { orgId?: OrgId } = {}) {
  const orgId = given ?? (await givenOrg(db));
  const { appId, configId } = await givenApp(db, { orgId });
  const componentId = await component("api");
  const repositoryOf = (host: string, of: string = componentId) =>
    `${host}/acme/${orgId}/${appId}/${of}`;

  async function component(name: string): Promise<string> {
    const id = newId("cmp");
    await db`
      insert into components (id, org_id, app_id, name, created_at)
      values (${id}, ${orgId}, ${appId}, ${name}, svc_now())`;
    return id;
  }

  /** Another config, of which nothing is read but that it is there. */
  async function config(): Promise<string> {
    const id = newId("cfg");
    await db`
      insert into app_configs (id, org_id, app_id, version, status, status_at, checksum, cli_version, document, created_at, created_by_id)
      select ${id}, org_id, app_id, (select max(n.version) + 1 from app_configs n where n.app_id = c.app_id), 'outdated', svc_now(), 'c', '',
             document, svc_now(), '' from app_configs c where c.id = ${configId}`;
    return id;
  }

  async function build(one: GivenBuild = {}): Promise<string> {
    const of = one.componentId === undefined ? componentId : one.componentId;
    const id = newId(of === null ? "sbd" : "bld");
    const by = one.configId ?? configId;
    const { status = "active", digest } = one;
    const repository = one.repository ?? repositoryOf("registry.example.com", of ?? "sandbox");
    const artifact = { repository, tag: one.tag ?? id, ...(digest !== undefined && { digest }) };
    const part = of === null ? null : newId("ccc");
    if (of !== null)
      await db`
        insert into component_configs (id, org_id, component_id, app_config_id, name, type, created_at)
        values (${part}, ${orgId}, ${of}, ${by}, ${of}, 'helm_chart', svc_now()) on conflict do nothing`;
    await db`
      insert into component_builds (id, org_id, app_id, component_id, component_config_id, app_config_id, component_name, component_type,
                                    workflow_id, status, status_at, checksum, artifact, no_op, created_at)
      values (${id}, ${orgId}, ${appId}, ${of},
              (select x.id from component_configs x where x.component_id = ${of} and x.app_config_id = ${by}),
              ${by}, 'api', 'helm_chart', ${newId("wfl")}, ${status}, svc_now(), 'c0', ${db.json(artifact)}, ${one.noOp === true}, svc_now())`;
    return id;
  }

  /** An install of the app that has this config, and an open workflow of it towards another one. */
  async function install(has: string, wants: string): Promise<void> {
    const id = newId("ins");
    await db`
      insert into installs (id, org_id, app_id, name, install_number, cloud_platform, phase_at, applied_config_id, runner_group_id, runner_id,
                            created_at, updated_at)
      values (${id}, ${orgId}, ${appId}, 'one', 1, 'unknown', svc_now(), ${has}, ${newId("rgr")}, ${newId("run")}, svc_now(), svc_now())`;
    const [queue] = await db<{ id: string }[]>`
      select id from queues where org_id = ${orgId} and owner_id = ${appId} order by id limit 1`;
    await db`
      insert into workflows (id, org_id, type, owner_type, owner_id, status, status_at, approval_option, app_config_id, signal_id, queue_id, created_at)
      values (${newId("wfl")}, ${orgId}, 'app_branch_config_update', 'installs', ${id}, 'approval-awaiting', svc_now(), 'prompt', ${wants},
              ${newId("sig")}, ${queue?.id ?? ""}, svc_now())`;
  }

  /** Those that are there, each with what becomes of it: "stays", "goes", or its status. */
  async function fates(): Promise<Readonly<Record<string, string>>> {
    const rows = await db<{ id: string; fate: string }[]>`
      select b.id, case when b.status = 'deleting' then 'deleting' when b.expires_at is null then 'stays' else 'goes' end as fate
        from component_builds b where b.org_id = ${orgId} order by b.id`;
    return Object.fromEntries(rows.map(({ id, fate }) => [id, fate]));
  }

  return {
    db,
    orgId,
    appId,
    configId,
    componentId,
    component,
    config,
    build,
    install,
    fates,
    repositoryOf,
  };
}
