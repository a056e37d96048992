-- Folders of configs that components are built from.

-- Keeps a blob whose parts were uploaded, unless the org has one of this digest; answers the id of the one that is kept. A small one's
-- only part comes with it.
create or replace function keep_source_blob(org text, blob json, only_part bytea) returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  given record;
  kept text;
begin
  select * into given
    from json_to_record(blob) as x(id text, digest text, size_bytes bigint, parts int, key_id text, sealed_key bytea, fingerprint bytea);
  insert into source_blobs as b (id, org_id, digest, size_bytes, parts, key_id, sealed_key, fingerprint, created_at, used_at)
  values (given.id, org, given.digest, given.size_bytes, given.parts, given.key_id, given.sealed_key, given.fingerprint, t, t)
      on conflict (org_id, digest) do update set used_at = t
  returning b.id into kept;
  if kept = given.id then
    insert into terraform_state_parts (object_id, n, org_id, body)
    select given.id, 0, org, only_part where only_part is not null;
    delete from terraform_state_uploads u where u.org_id = org and u.object_id = given.id;
  end if;
  return kept;
end $$;

-- Writes down which blobs a config names. sources: [{component, source_id}]
create or replace function keep_config_sources(org text, config text, sources json) returns void
  language plpgsql as $$
begin
  if coalesce(json_array_length(sources), 0) = 0 then
    return;
  end if;
  insert into app_config_sources (org_id, app_config_id, component, source_id)
  select org, config, s.component, s.source_id from json_to_recordset(sources) as s(component text, source_id text);
end $$;

-- Forgets which blobs configs name that nothing is built of any more: those of deleted apps, and all but the active one, the last ten
-- versions of an app and those of open builds. Answers how many of at most `most` it forgot.
create or replace function forget_old_sources(most int) returns int
  language plpgsql as $$
declare
  forgotten int;
begin
  delete from app_config_sources s
   where (s.org_id, s.app_config_id, s.component) in (
     select x.org_id, x.app_config_id, x.component
       from app_config_sources x
       join app_configs c on c.org_id = x.org_id and c.id = x.app_config_id
       join apps a on a.org_id = c.org_id and a.id = c.app_id
      where (a.deleted_at < svc_now() - interval '1 day'
             or (c.status in ('outdated', 'error') and c.created_at < svc_now() - interval '1 day'
                 and c.version <= (select max(n.version) from app_configs n where n.app_id = c.app_id) - 10))
        and not exists (select from component_builds b
                         where b.app_id = c.app_id and b.status in ('planning', 'building') and b.app_config_id = c.id)
      limit most for update of x skip locked);
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;

-- Deletes blobs that no config names, with their parts; those that a sync found or made within a day stay, as their config may be
-- about to be written. Answers how many of at most `most` went.
create or replace function delete_unused_sources(most int) returns int
  language plpgsql as $$
declare
  old text[];
begin
  with gone as (
    delete from source_blobs b
     where (b.org_id, b.id) in (select x.org_id, x.id from source_blobs x
                                 where x.used_at < svc_now() - interval '1 day'
                                   and not exists (select from app_config_sources s where s.source_id = x.id)
                                 order by x.used_at limit most for update skip locked)
       and not exists (select from app_config_sources s where s.source_id = b.id)
    returning b.id)
  select coalesce(array_agg(g.id), '{}') into old from gone g;
  delete from terraform_state_parts p where p.object_id = any(old);
  return cardinality(old);
end $$;
