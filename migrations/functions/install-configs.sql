-- Configs of installs: how one differs from what its app says. The newest is in force. Lock order: the install, its configs.

-- How many configs an install keeps.
create or replace function most_install_configs() returns int language sql immutable parallel safe return 100;

-- Puts a config in force. The caller holds the install.
create or replace function put_install_config(org text, install text, draft jsonb, t timestamptz) returns void
  language plpgsql as $$
declare
  c install_configs := jsonb_populate_record(null::install_configs, draft);
begin
  insert into install_configs (id, org_id, install_id, approval_option, component_toggles, labels, telemetry_enabled, created_at,
                               updated_at, created_by_id)
  values (c.id, org, install, c.approval_option, coalesce(c.component_toggles, '{}'), coalesce(c.labels, '{}'), c.telemetry_enabled, t, t,
          coalesce(c.created_by_id, ''));
  delete from install_configs x
   where x.install_id = install
     and x.id <= (select y.id from install_configs y where y.install_id = install order by y.id desc offset most_install_configs() limit 1);
end $$;

-- Changes what `given` names in the config that is in force; null: as the app says. What stays the same keeps its version. The caller holds the install. by_id: who changes it;
-- without one (a broker of a version before) nobody knows who set approve-all.
create or replace function patch_install_config(org text, install text, given jsonb, t timestamptz) returns void
  language plpgsql as $$
declare
  now_is install_configs;
  c install_configs;
  is_other boolean;
begin
  select * into now_is from install_configs x where x.org_id = org and x.install_id = install order by x.id desc limit 1;
  c := jsonb_populate_record(now_is, given);
  c.component_toggles := coalesce(c.component_toggles, '{}');
  c.labels := coalesce(c.labels, '{}');
  is_other := c is distinct from now_is;
  update install_configs x
     set approval_option = c.approval_option, component_toggles = c.component_toggles, labels = c.labels,
         telemetry_enabled = c.telemetry_enabled, version = x.version + 1, updated_at = t
   where x.org_id = org and x.id = c.id and is_other;
  update installs i
     set approval_option = coalesce(c.approval_option, 'prompt'), version = i.version + is_other::int,
         updated_at = case when is_other then t else i.updated_at end,
         approve_all_chain = case when not given ? 'approval_option' then i.approve_all_chain
                                  when given ? 'by_id' then chain_of(array[given ->> 'by_id']) end
   where i.org_id = org and i.id = install;
end $$;

-- Puts another config in force. outcome: created · not-found (the install)
create or replace function add_install_config(org text, install text, draft jsonb) returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  perform 1 from installs i where i.org_id = org and i.id = install and i.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  end if;
  perform put_install_config(org, install, draft, t);
  update installs i
     set approval_option = coalesce(draft ->> 'approval_option', 'prompt'), version = i.version + 1, updated_at = t,
         approve_all_chain = chain_of(array[draft ->> 'created_by_id'])
   where i.org_id = org and i.id = install;
  return 'created';
end $$;

-- Changes a config. outcome: changed · not-found (the install) · none (it has no such config) · replaced (another one is in force) ·
-- stale (the version is another)
create or replace function change_install_config(org text, install text, config text, expected bigint, given jsonb) returns text
  language plpgsql as $$
declare
  c record;
begin
  perform 1 from installs i where i.org_id = org and i.id = install and i.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  end if;
  select x.version, exists (select from install_configs y where y.install_id = install and y.id > x.id) as is_replaced into c
    from install_configs x where x.org_id = org and x.install_id = install and x.id = config;
  if not found then
    return 'none';
  elsif c.is_replaced then
    return 'replaced';
  elsif expected is not null and c.version <> expected then
    return 'stale';
  end if;
  perform patch_install_config(org, install, given, svc_now());
  return 'changed';
end $$;
