-- Configs of apps that come in many calls. Lock order: the app, the config.

-- The id of the new config; null: there is no such app. What the app says of itself is its first metadata.
create or replace function begin_app_config(org text, app text, config json) returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  given record;
  next_version int;
  app_says json;
begin
  update apps a set config_count = a.config_count + 1
   where a.org_id = org and a.id = app and a.deleted_at is null
  returning a.config_count, json_strip_nulls(json_build_object(
              'name', a.name, 'display_name', nullif(a.display_name, ''), 'description', nullif(a.description, ''),
              'readme', nullif(config ->> 'readme', '')))
       into next_version, app_says;
  if not found then
    return null;
  end if;
  select * into given from json_to_record(config) as x(id text, cli_version text, plan_only boolean, created_by_id text);
  insert into app_configs (id, org_id, app_id, version, status, status_at, checksum, cli_version, document, plan_only, created_at,
                           created_by_id, chain)
  values (given.id, org, app, next_version, 'pending', t, '', given.cli_version, '', given.plan_only, t, given.created_by_id,
          chain_of(array[given.created_by_id]));
  insert into app_config_parts (org_id, app_config_id, file, value) values (org, given.id, 'metadata.toml', app_says::text);
  return given.id;
end $$;

-- Locks a config that still takes parts. outcome: open · not-found · sealed (or a day old)
create or replace function lock_open_config(org text, app text, config text) returns text
  language plpgsql as $$
declare
  there record;
begin
  select c.status, c.created_at into there
    from app_configs c join apps a on a.org_id = c.org_id and a.id = c.app_id and a.deleted_at is null
   where c.org_id = org and c.app_id = app and c.id = config for no key update of c;
  if not found then
    return 'not-found';
  end if;
  return case when there.status in ('pending', 'syncing') and there.created_at > svc_now() - interval '24 hours'
              then 'open' else 'sealed' end;
end $$;

-- Adds a part of somebody (by_id), or replaces that of this file, or adds to that (part: merges). outcome: added · not-found · sealed · large (the whole, in bytes or in files)
create or replace function add_app_config_part(org text, app text, config text, part json, most json) returns text
  language plpgsql as $$
declare
  outcome text := lock_open_config(org, app, config);
begin
  if outcome <> 'open' then
    return outcome;
  end if;
  insert into app_config_parts as p (org_id, app_config_id, file, value) values (org, config, part ->> 'file', part ->> 'value')
      on conflict (org_id, app_config_id, file) do update
            set value = case when part ->> 'merges' = 'true' then merge_config_parts(p.value, excluded.value) else excluded.value end;
  if (select sum(octet_length(p.value)) > (most ->> 'bytes')::int or count(*) > (most ->> 'files')::int
        from app_config_parts p where p.org_id = org and p.app_config_id = config) then
    raise exception using errcode = 'P0001', message = 'config too large';
  end if;
  update app_configs c
     set status = 'syncing', status_at = case when c.status = 'syncing' then c.status_at else svc_now() end,
         parts_revision = c.parts_revision + 1,
         chain = joined_chain(chain_of_config(org, config), chain_of(array[part ->> 'by_id']))
   where c.org_id = org and c.id = config;
  return 'added';
exception when raise_exception then
  return 'large';
end $$;

-- Makes a config active whose parts were checked as they were at `revision`, or outdated where it is not to be in force.
-- outcome: active · outdated (plan only) · same (its like is active) · not-found · sealed · moved (parts came meanwhile) · other-app
create or replace function seal_app_config(org text, app text, config json, revision int) returns text
  language plpgsql as $$
declare
  found_app record;
  given record;
  own app_configs;
  former record;
  outcome text;
begin
  select a.name, a.active_config_id::text as active_id into found_app from apps a
   where a.org_id = org and a.id = app and a.deleted_at is null for no key update;
  select * into given from json_to_record(config) as x(id text, name text, checksum text, document text, created_by_id text,
                                                           brands text[], remarks json);
  outcome := lock_open_config(org, app, given.id);
  if outcome <> 'open' then
    return outcome;
  end if;
  select * into own from app_configs c where c.org_id = org and c.id = given.id;
  select c.id::text as id, c.checksum, c.version into former from app_configs c where c.org_id = org and c.id = found_app.active_id;
  if own.parts_revision <> revision then
    return 'moved';
  elsif replace(given.name, '-', '_') <> replace(found_app.name, '-', '_') then
    return 'other-app';
  end if;
  outcome := case when own.plan_only then 'outdated' when former.checksum = given.checksum then 'same' else 'active' end;
  if outcome = 'active' then
    perform retire_app_config(org, former.id);
  end if;
  update app_configs c
     set status = case when outcome = 'active' then 'active' else 'outdated' end, status_at = svc_now(), previous_id = former.id,
         status_description = case outcome when 'outdated' then 'it was to be planned only'
                                           when 'same' then 'version ' || former.version || ' is the same, and active' else '' end,
         checksum = given.checksum, document = given.document, brands = coalesce(given.brands, '{}'), remarks = given.remarks,
         chain = joined_chain(chain_of_config(org, given.id), chain_of(array[given.created_by_id]))
   where c.org_id = org and c.id = given.id;
  if outcome = 'active' then
    perform tell_app_of_config(org, app, config);
  elsif outcome = 'same' then
    perform forget_what_was_said(app, 'components', config -> 'components');
    perform forget_what_was_said(app, 'runbooks', config -> 'runbooks');
  end if;
  delete from app_config_parts p where p.org_id = org and p.app_config_id = given.id;
  return outcome;
end $$;

-- Ends a config that is no whole one; `revision`: only if its parts are those. outcome: error · not-found · sealed · moved
create or replace function fail_app_config(org text, app text, config text, told json, revision int) returns text
  language plpgsql as $$
declare
  outcome text := lock_open_config(org, app, config);
begin
  if outcome <> 'open' then
    return outcome;
  end if;
  update app_configs c
     set status = 'error', status_at = svc_now(), status_description = told ->> 'description', errors = (told ->> 'errors')::jsonb
   where c.org_id = org and c.id = config and c.parts_revision = coalesce(revision, c.parts_revision);
  if not found then
    return 'moved';
  end if;
  delete from app_config_parts p where p.org_id = org and p.app_config_id = config;
  return 'error';
end $$;
