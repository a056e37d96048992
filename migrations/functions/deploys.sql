-- What is deployed of an app in an install. Lock order: the install, what is deployed of it.

-- Has a row for each component of a config, and for the sandbox where the config has one, each with a workspace and a chart. What is there stays.
create or replace function keep_install_components(org text, install text, config text) returns void
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  with added as (
    insert into install_components (id, org_id, install_id, component_id, name, workspace_id, chart_id, status_at, created_at, updated_at)
    select made_id(case when x.component_id is null then 'sbx' else 'icm' end), org, install, x.component_id, x.name, made_id('tfw'),
           made_id('hch'), t, t, t
      from (select c.component_id, c.name from component_configs c where c.org_id = org and c.app_config_id = config
            union all
            select null, '' from app_configs c
             where c.org_id = org and c.id = config and c.document <> '' and (c.document::json -> 'sandbox') is not null) x
     where not exists (select from install_components h
                        where h.install_id = install and coalesce(h.component_id, '') = coalesce(x.component_id, ''))
        on conflict do nothing
    returning *),
  spaces as (
    insert into terraform_workspaces (id, org_id, owner_id, owner_type, created_at, updated_at)
    select a.workspace_id, org, install, 'installs', t, t from added a)
  insert into helm_charts (id, org_id, owner_id, owner_type, created_at)
  select a.chart_id, org, install, 'installs', t from added a;
end $$;

-- Begins a workflow that switches a component of an install on or off, and keeps that in the install's config: outcome as begin_workflow's.
-- component: by the name that the app's config has.
create or replace function begin_component_toggle(org text, install text, draft jsonb, component text, is_on boolean) returns text
  language plpgsql as $$
declare
  toggles jsonb;
  outcome text;
begin
  perform 1 from installs i where i.org_id = org and i.id = install and i.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  elsif exists (select from workflows w where w.org_id = org and w.id = draft ->> 'id') then
    return 'created'; -- the same request made it before, and nobody heard
  end if;
  outcome := begin_workflow(org, install, draft);
  if outcome = 'created' then
    select coalesce(jsonb_object_agg(o.key, o.value), '{}') into toggles
      from (select c.component_toggles from install_configs c where c.org_id = org and c.install_id = install order by c.id desc limit 1) c
     cross join lateral jsonb_each(c.component_toggles) o
     where replace(o.key, '-', '_') <> replace(component, '-', '_');
    perform patch_install_config(org, install,
                                 jsonb_build_object('component_toggles', toggles || jsonb_build_object(component, is_on)), svc_now());
  end if;
  return outcome;
end $$;

-- Takes what is deployed of a component, or of the sandbox (no component), as gone, whatever is there. outcome: forgotten · not-found (the install, or
-- anything of it) · open (a workflow of the install may change it)
create or replace function forget_install_component(org text, install text, component text) returns text
  language plpgsql as $$
begin
  perform 1 from installs i where i.org_id = org and i.id = install and i.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  elsif exists (select from workflows w where w.owner_id = install and w.status not in ('success', 'error', 'cancelled')
                                          and w.type <> 'action_workflow_run') then
    return 'open';
  end if;
  update install_components c
     set deployed_id = null, touched_id = null, drift = null, status = '', status_description = '', status_at = svc_now(), updated_at = svc_now()
   where c.org_id = org and c.install_id = install and c.component_id is not distinct from component;
  return case when found then 'forgotten' else 'not-found' end;
end $$;
