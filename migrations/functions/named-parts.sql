-- What apps have by name, whatever configs have it: actions, components, runbooks. In names `-` and `_` are equal. Lock order: the app,
-- the config.

-- The id of what an app has by this name; kind: its table.
create or replace function find_named_part(app text, kind text, named text) returns text
  language plpgsql as $$
declare
  there text;
begin
  execute format('select x.id from %I x where x.app_id = $1 and x.deleted_at is null and replace(x.name, ''-'', ''_'') = $2', kind)
     into there using app, replace(named, '-', '_');
  return there;
end $$;

-- Finds what an app has by this name, or makes it, and adds labels and what is said of it. outcome: created · same · not-found (the app) ·
-- full (the app has as many as it may) · locked, too-many (its labels; id: the keys)
-- draft: {id, name, created_by_id, labels, said, unsaid}
create or replace function name_app_part(org text, app text, kind text, draft json, most int) returns table (outcome text, id text)
  language plpgsql as $$
#variable_conflict use_column
declare
  there text;
  is_full boolean;
  changed record;
begin
  perform 1 from apps a where a.org_id = org and a.id = app and a.deleted_at is null for no key update;
  if not found then
    return query select 'not-found', null::text;
    return;
  end if;
  there := find_named_part(app, kind, draft ->> 'name');
  if there is not null then
    select * into changed from change_named_part(org, app, kind, there, json_build_object('labels', draft -> 'labels', 'said', draft -> 'said',
                                                                                               'unsaid', draft -> 'unsaid')::jsonb);
    return query select case changed.outcome when 'changed' then 'same' else changed.outcome end,
                        case changed.outcome when 'changed' then there else array_to_string(changed.told, ', ') end;
    return;
  end if;
  execute format('select count(*) >= $2 from (select from %I x where x.app_id = $1 and x.deleted_at is null limit $2) y', kind)
     into is_full using app, most;
  if is_full then
    return query select 'full', null::text;
    return;
  end if;
  execute format('insert into %I (id, org_id, app_id, name, created_at, created_by_id, labels, said) values ($1, $2, $3, $4, svc_now(), $5, $6, $7)', kind)
    using draft ->> 'id', org, app, draft ->> 'name', draft ->> 'created_by_id',
          coalesce(draft ->> 'labels', '{}')::jsonb, coalesce(draft ->> 'said', '{}')::jsonb;
  return query select 'created', draft ->> 'id';
end $$;

-- Adds a part of something that has a name to a config, and names it; one that the config has not yet takes what was said of it.
-- outcome: added · not-found · sealed · large · full
-- part: {file, value, kind, draft, merges}; most: {bytes, files, named}
create or replace function add_named_part(org text, app text, config text, part json, most json) returns table (outcome text, id text)
  language plpgsql as $$
#variable_conflict use_column
declare
  named record;
  added text;
begin
  perform 1 from apps a where a.org_id = org and a.id = app and a.deleted_at is null for no key update;
  if not exists (select from app_config_parts p where p.org_id = org and p.app_config_id = config and p.file = part ->> 'file') then
    part := jsonb_set(part::jsonb, '{value}', to_jsonb(with_what_was_said(app, part)))::json;
  end if;
  added := add_app_config_part(org, app, config, part, most);
  if added <> 'added' then
    return query select added, null::text;
    return;
  end if;
  select * into named from name_app_part(org, app, part ->> 'kind', part -> 'draft', (most ->> 'named')::int);
  if named.outcome = 'full' then
    raise exception using errcode = 'P0002', message = 'too many things of one kind';
  end if;
  return query select 'added', named.id;
exception when no_data_found then
  return query select 'full', null::text;
end $$;

-- The text of a part with what was said of it and this says not. Components are said by their ids, and called by their names of now.
create or replace function with_what_was_said(app text, part json) returns text
  language plpgsql as $$
declare
  said jsonb;
  needs jsonb;
begin
  execute format('select x.said from %I x where x.id = $1', part ->> 'kind')
     into said using find_named_part(app, part ->> 'kind', part -> 'draft' ->> 'name');
  if coalesce(said, '{}') = '{}' then
    return part ->> 'value';
  end if;
  if said ? 'dependencies' then
    select coalesce(jsonb_agg(c.name order by d.n), '[]') into needs
      from jsonb_array_elements_text(said -> 'dependencies') with ordinality as d(id, n)
      join components c on c.id = d.id and c.app_id = app and c.deleted_at is null;
    said := said || jsonb_build_object('dependencies', needs);
  end if;
  return merge_config_parts(said::text, part ->> 'value');
end $$;

-- Forgets what was said of what a config has that came in force: it says all. named: [{name}]
create or replace function forget_what_was_said(app text, kind text, named json) returns void
  language plpgsql as $$
begin
  execute format('update %I x set said = ''{}'' from json_to_recordset($2) as n(name text)
                   where x.app_id = $1 and x.deleted_at is null and replace(x.name, ''-'', ''_'') = replace(n.name, ''-'', ''_'')
                     and x.said <> ''{}'' ', kind)
    using app, coalesce(named, '[]');
end $$;

-- What two texts of one part have, the second where both have it; where they are of two types, the second alone.
create or replace function merge_config_parts(former text, given text) returns text
  language plpgsql as $$
begin
  if former is null or (former::json ->> 'type') <> (given::json ->> 'type') then
    return given;
  end if;
  return (select json_object_agg(x.key, x.value)::text
            from (select g.key, g.value from json_each(given::json) g
                  union all
                  select f.key, f.value from json_each(former::json) f where given::json -> f.key is null) x);
end $$;

-- Keeps what a config has by name: what the app has already stays, what is new is made. named: [{name, id}]
create or replace function keep_named_parts(org text, app text, kind text, named json) returns void
  language plpgsql as $$
begin
  execute format('insert into %I as x (id, org_id, app_id, name, created_at)
                  select n.id, $1, $2, n.name, svc_now() from json_to_recordset($3) as n(id text, name text)
                      on conflict (app_id, replace(name, ''-'', ''_'')) where deleted_at is null
                      do update set name = excluded.name, updated_at = svc_now() where x.name <> excluded.name', kind) -- spelt as in the config
    using org, app, coalesce(named, '[]');
end $$;

-- Who holds what an app has by name: the app's active config, installs by the one that was applied. At most 100 ids.
create or replace function holders_of_part(org text, kind text, part text) returns text[]
  language plpgsql as $$
declare
  one text := left(kind, -1);
  holders text[];
begin
  execute format('
    select array(select h.id from (
      select a.active_config_id::text as id from %1$I c join apps a on a.org_id = c.org_id and a.active_config_id = c.app_config_id
       where c.org_id = $1 and c.%2$I = $2
      union all
      select i.id::text from %1$I c
        join installs i on i.org_id = c.org_id and i.applied_config_id = c.app_config_id and i.deleted_at is null
       where c.org_id = $1 and c.%2$I = $2) h order by h.id limit 100)', one || '_configs', one || '_id')
     into holders using org, part;
  return holders;
end $$;

-- Locks what an app has by name; kind: its table. Nothing where there is none.
create or replace function lock_named_part(org text, app text, kind text, part text)
  returns table (name text, labels jsonb, config_labels jsonb)
  language plpgsql as $$
begin
  perform 1 from apps a where a.org_id = org and a.id = app and a.deleted_at is null for no key update;
  return query execute format('select x.name, x.labels, x.config_labels from %I x
                                where x.org_id = $1 and x.app_id = $2 and x.id = $3 and x.deleted_at is null for no key update', kind)
    using org, app, part;
end $$;

-- Changes the name of what no config in force has, labels (sets and removes some, or all but those that the config gives), and what is said of it.
-- change: {name, labels, removed, is_whole, said, unsaid}. outcome: changed · not-found · held (told: by what) · taken (the name) · locked (told: the keys
-- that the config gives) · too-many (a config may give more: then these get fewer)
create or replace function change_named_part(org text, app text, kind text, part text, change jsonb)
  returns table (outcome text, told text[])
  language plpgsql as $$
declare
  x record;
  named text := change ->> 'name';
  given jsonb := coalesce(nullif(change -> 'labels', 'null'), '{}');
  removed text[] := array(select jsonb_array_elements_text(coalesce(change -> 'removed', '[]')));
  held text[];
  locked text[];
  after jsonb;
  said jsonb := nullif(change -> 'said', 'null');
  unsaid text[] := array(select jsonb_array_elements_text(coalesce(nullif(change -> 'unsaid', 'null'), '[]')));
begin
  select * into x from lock_named_part(org, app, kind, part);
  if not found then
    return query select 'not-found', '{}'::text[];
    return;
  end if;
  if named <> x.name then
    held := holders_of_part(org, kind, part);
    if cardinality(held) > 0 then
      return query select 'held', held;
      return;
    elsif find_named_part(app, kind, named) <> part then
      return query select 'taken', '{}'::text[];
      return;
    end if;
  end if;
  locked := array(select k from (select jsonb_object_keys(given) union select unnest(removed)) a (k) where x.config_labels ? k order by k);
  after := case when change ->> 'is_whole' = 'true' then given || x.config_labels else (x.labels || given) - removed end;
  if cardinality(locked) > 0 then
    return query select 'locked', locked;
    return;
  elsif (select count(*) from jsonb_object_keys(after)) > greatest(64, (select count(*) from jsonb_object_keys(x.labels))) then
    return query select 'too-many', '{}'::text[];
    return;
  end if;
  named := coalesce(named, x.name);
  if (named, after) is distinct from (x.name, x.labels) then
    execute format('update %I x set name = $3, labels = $4, updated_at = svc_now() where x.org_id = $1 and x.id = $2', kind)
      using org, part, named, after;
  end if;
  if said is not null or unsaid <> '{}' then
    execute format('update %I x set said = (x.said - $4) || $3, updated_at = svc_now()
                     where x.org_id = $1 and x.id = $2 and x.said <> (x.said - $4) || $3', kind)
      using org, part, coalesce(said, '{}'), unsaid;
  end if;
  return query select 'changed', '{}'::text[];
end $$;

-- Deletes what no config in force has; what was made of it stays. outcome: deleted · not-found · held (told: by what)
create or replace function delete_named_part(org text, app text, kind text, part text) returns table (outcome text, told text[])
  language plpgsql as $$
declare
  held text[];
begin
  perform lock_named_part(org, app, kind, part);
  if not found then
    return query select 'not-found', '{}'::text[];
    return;
  end if;
  held := holders_of_part(org, kind, part);
  if cardinality(held) > 0 then
    return query select 'held', held;
    return;
  end if;
  execute format('update %I x set deleted_at = svc_now() where x.org_id = $1 and x.id = $2', kind) using org, part;
  return query select 'deleted', '{}'::text[];
end $$;
