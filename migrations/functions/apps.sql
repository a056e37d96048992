-- Apps and their configs. Lock order: the org, the app, its lane.

-- outcome: created · same (an app of this name says the same of itself) · taken (the name) · full (the org has as many as it may)
create or replace function create_app(org text, app json, most int) returns table (outcome text, id text)
  language plpgsql as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  given record;
  there record;
begin
  select * into given
    from json_to_record(app) as x(id text, name text, display_name text, description text, created_by_id text);
  perform 1 from orgs o where o.id = org for no key update; -- counts one creation after the other
  select a.id, a.name, a.display_name, a.description into there from apps a
   where a.org_id = org and replace(a.name, '-', '_') = replace(given.name, '-', '_') and a.deleted_at is null;
  if found then
    return query select case when (there.name, there.display_name, there.description)
                                  = (given.name, given.display_name, given.description) then 'same' else 'taken' end, there.id::text;
    return;
  elsif (select count(*) from apps a where a.org_id = org and a.deleted_at is null) >= most then
    return query select 'full', null::text;
    return;
  end if;
  insert into apps (id, org_id, name, display_name, description, created_at, updated_at, created_by_id)
  values (given.id, org, given.name, given.display_name, given.description, t, t, given.created_by_id);
  perform builds_lane(org, given.id, t);
  return query select 'created', given.id;
end $$;

-- Changes what `changes` names; what stays the same keeps its version. outcome: changed · not-found · stale (the version is another) ·
-- taken (the name)
create or replace function change_app(org text, app text, expected bigint, changes json) returns text
  language plpgsql as $$
declare
  now_is apps;
  next_is apps;
begin
  select * into now_is from apps a
   where a.org_id = org and a.id = app and a.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  elsif expected is not null and now_is.version <> expected then
    return 'stale';
  end if;
  next_is := json_populate_record(now_is, json_strip_nulls(changes));
  update apps a
     set name = next_is.name, display_name = next_is.display_name, description = next_is.description,
         config_repo = next_is.config_repo, config_directory = next_is.config_directory,
         version = a.version + 1, updated_at = svc_now()
   where a.org_id = org and a.id = app and next_is is distinct from now_is;
  return 'changed';
exception when unique_violation then
  return 'taken';
end $$;

-- Deletes an app without installs. Its configs stay, its secrets do not. outcome: deleted · not-found · held (ids: at most 100 of its installs)
create or replace function delete_idle_app(org text, app text) returns table (outcome text, ids text[])
  language plpgsql as $$
declare
  there text[];
begin
  perform 1 from apps a where a.org_id = org and a.id = app and a.deleted_at is null for no key update; -- no install is made meanwhile
  if not found then
    return query select 'not-found', '{}'::text[];
    return;
  end if;
  there := array(select i.id::text from installs i where i.org_id = org and i.app_id = app and i.deleted_at is null order by i.id limit 100);
  if cardinality(there) > 0 then
    return query select 'held', there;
    return;
  end if;
  update apps a set deleted_at = svc_now(), updated_at = svc_now() where a.org_id = org and a.id = app;
  perform forget_builds_lane(org, app, svc_now());
  delete from app_secrets s where s.org_id = org and s.app_id = app;
  return query select 'deleted', '{}'::text[];
end $$;

-- Sets the value of a name. outcome: created · replaced · not-found (the app) · full (the app has as many as it may)
create or replace function set_app_secret(org text, app text, secret json, sealed_value bytea, most int)
  returns table (outcome text, id text)
  language plpgsql as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  given record;
  there text;
begin
  perform 1 from apps a where a.org_id = org and a.id = app and a.deleted_at is null for no key update;
  if not found then
    return query select 'not-found', null::text;
    return;
  end if;
  select * into given
    from json_to_record(secret) as x(id text, name text, key_id text, length int, created_by_id text);
  update app_secrets s
     set name = given.name, key_id = given.key_id, value = sealed_value, length = given.length, updated_at = t
   where s.org_id = org and s.app_id = app and replace(s.name, '-', '_') = replace(given.name, '-', '_')
  returning s.id into there;
  if found then
    return query select 'replaced', there;
    return;
  elsif (select count(*) from app_secrets s where s.org_id = org and s.app_id = app) >= most then
    return query select 'full', null::text;
    return;
  end if;
  insert into app_secrets (id, org_id, app_id, name, key_id, value, length, created_at, updated_at, created_by_id)
  values (given.id, org, app, given.name, given.key_id, sealed_value, given.length, t, t, given.created_by_id);
  return query select 'created', given.id;
end $$;

-- The config that was active is not any more.
create or replace function retire_app_config(org text, former text) returns void
  language plpgsql as $$
begin
  update app_configs c set status = 'outdated', status_at = svc_now(), status_description = 'a newer config is active'
   where c.org_id = org and c.id = former;
end $$;

-- What the config that is active now says of its app.
create or replace function tell_app_of_config(org text, app text, config json) returns void
  language plpgsql as $$
begin
  update apps a
     set active_config_id = given.id, version = a.version + 1, updated_at = svc_now(),
         display_name = coalesce(given.display_name, a.display_name), description = coalesce(given.description, a.description),
         default_labels = given.default_labels, label_colors = given.label_colors, links = given.links,
         runner_type = given.runner_type
    from json_to_record(config) as given(id text, display_name text, description text, default_labels jsonb, label_colors jsonb,
                                         links jsonb, runner_type text)
   where a.org_id = org and a.id = app;
  -- On installs a default wins, and one that is gone goes there, too.
  update installs i
     set labels = (i.labels - array(select jsonb_object_keys(i.app_default_labels))) || a.default_labels,
         app_default_labels = a.default_labels, version = i.version + 1, updated_at = svc_now()
    from apps a
   where a.org_id = org and a.id = app and i.org_id = org and i.app_id = app and i.deleted_at is null
     and i.app_default_labels <> a.default_labels;
  perform keep_actions(org, app, config ->> 'id', config -> 'actions', svc_now());
  perform keep_named_parts(org, app, 'components', config -> 'components');
  perform keep_named_parts(org, app, 'runbooks', config -> 'runbooks');
  perform note_config_parts(org, app, config ->> 'id');
  perform forget_what_was_said(app, 'components', config -> 'components');
  perform forget_what_was_said(app, 'runbooks', config -> 'runbooks');
  perform keep_image_emitter(org, app, config ->> 'id');
  if (config ->> 'builds')::boolean
     and exists (select from runner_groups g where g.org_id = org and g.type = 'org' and g.deleted_at is null) then
    perform graphile_worker.add_job('build-synced-config', json_build_object('org_id', org, 'app_id', app, 'app_config_id', config ->> 'id'),
                                    max_attempts := 10);
  end if;
end $$;

-- Makes a checked config the app's active one, and the former one outdated. `base`: what the caller believes to be active; null:
-- whatever is. outcome: created · same (it is the active one) · not-found · other-app (the app has another name) · changed (the base is another)
create or replace function sync_app_config(org text, app text, config json, base text) returns table (outcome text, id text)
  language plpgsql as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  found_app record;
  active record;
  given record;
begin
  select a.name, a.active_config_id::text as active_id, a.config_count into found_app from apps a
   where a.org_id = org and a.id = app and a.deleted_at is null for no key update;
  if not found then
    return query select 'not-found', null::text;
    return;
  end if;
  select * into given
    from json_to_record(config) as x(id text, name text, checksum text, document text, cli_version text, display_name text,
                                     description text, default_labels jsonb, label_colors jsonb, links jsonb, runner_type text,
                                     created_by_id text, brands text[], remarks json);
  select c.id::text as id, c.checksum into active from app_configs c
   where c.org_id = org and c.id = found_app.active_id;
  if replace(given.name, '-', '_') <> replace(found_app.name, '-', '_') then
    return query select 'other-app', found_app.name;
    return;
  elsif active.checksum = given.checksum then
    perform forget_what_was_said(app, 'components', config -> 'components');
    perform forget_what_was_said(app, 'runbooks', config -> 'runbooks');
    return query select 'same', active.id;
    return;
  elsif base is not null and base is distinct from active.id then
    return query select 'changed', active.id;
    return;
  end if;
  perform retire_app_config(org, active.id);
  insert into app_configs (id, org_id, app_id, version, status, status_at, previous_id, checksum, cli_version, document, created_at,
                           created_by_id, chain, brands, remarks)
  values (given.id, org, app, found_app.config_count + 1, 'active', t, active.id, given.checksum, given.cli_version, given.document, t,
          given.created_by_id, chain_of(array[given.created_by_id]), coalesce(given.brands, '{}'), given.remarks);
  perform keep_config_sources(org, given.id, config -> 'sources');
  perform tell_app_of_config(org, app, config);
  update apps a set config_count = a.config_count + 1 where a.org_id = org and a.id = app;
  return query select 'created', given.id;
end $$;

-- Keeps the actions that a config has: those that the app has by name already, and new ones. Their labels of the config win, and those
-- of the former one go. actions: [{name, id, config_id, labels}]
create or replace function keep_actions(org text, app text, app_config text, named json, t timestamptz) returns void
  language plpgsql as $$
begin
  insert into actions as x (id, org_id, app_id, name, created_at)
  select n.id, org, app, n.name, t from json_to_recordset(coalesce(named, '[]')) as n(id text, name text)
      on conflict (app_id, replace(name, '-', '_')) where deleted_at is null
      do update set name = excluded.name, updated_at = t where x.name <> excluded.name; -- spelt as in the config
  insert into action_configs (id, org_id, action_id, app_config_id, created_at)
  select n.config_id, org, a.id, app_config, t
    from json_to_recordset(coalesce(named, '[]')) as n(config_id text, name text)
    join actions a on a.app_id = app and a.deleted_at is null and replace(a.name, '-', '_') = replace(n.name, '-', '_');
  with given as (
    select a.id, coalesce(n.labels, '{}') as labels
      from actions a
      left join json_to_recordset(coalesce(named, '[]')) as n(name text, labels jsonb)
             on replace(a.name, '-', '_') = replace(n.name, '-', '_')
     where a.org_id = org and a.app_id = app and a.deleted_at is null)
  update actions a
     set config_labels = g.labels, labels = (a.labels - array(select jsonb_object_keys(a.config_labels))) || g.labels, updated_at = t
    from given g
   where a.org_id = org and a.id = g.id and a.config_labels <> g.labels;
end $$;
