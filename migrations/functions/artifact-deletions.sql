-- How what a registry has of builds that go is deleted there. Lock order: that of build-retention.sql.

-- Takes a deletion that is due for a broker until a time: of the next org after one that has any.
create or replace function take_artifact_deletion(after text, patience interval)
  returns table (org_id text, build_id text, repository text, tag text, digest text, tries int, taken_until timestamptz)
  language plpgsql
  as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  org text := after;
  build text;
begin
  loop
    select d.org_id into org from artifact_deletions d where d.ended_at is null and d.org_id > org order by d.org_id limit 1;
    exit when not found;
    select x.build_id into build from artifact_deletions x
     where x.org_id = org and x.ended_at is null and x.due_at <= t and (x.taken_until is null or x.taken_until <= t)
     order by x.due_at, x.build_id limit 1 for update skip locked;
    continue when not found;
    return query
    update artifact_deletions d set taken_until = t + patience, tries = d.tries + 1 where d.org_id = org and d.build_id = build
    returning d.org_id::text, d.build_id::text, d.repository, d.tag, d.digest, d.tries, d.taken_until;
    exit;
  end loop;
end $$;

-- Says what is about to be deleted, before it is asked whether it may be: a build that pushes the same meanwhile finds it. False: another broker has it.
create or replace function announce_artifact_deletion(org text, build text, until timestamptz, known text) returns boolean
  language sql
  as $$
  with said as (
    update artifact_deletions d
       set digest = known, begun_at = svc_now(), acted_at = case when d.begun_at is null then d.acted_at else svc_now() end
     where d.org_id = org and d.build_id = build and d.taken_until = until and d.ended_at is null
    returning 1
  )
  select exists (select from said)
$$;

-- Whether what was announced may be deleted: go · kept (another build has the same) · open (one of the same is open, which may push it: later) ·
-- lost (another broker has it)
create or replace function judge_artifact_deletion(org text, build text, until timestamptz) returns text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  d record;
  t timestamptz := svc_now();
begin
  select * into d from artifact_deletions x where x.org_id = org and x.build_id = build and x.taken_until = until and x.ended_at is null;
  if not found then
    return 'lost';
  end if;
  -- First what is open, then what there is: each statement sees what was written before it, so what ends between them is seen by the second.
  if exists (select from component_builds b
              where b.org_id = org and b.app_id = d.app_id and coalesce(b.component_id, '') = coalesce(d.component_id, '')
                and b.status in ('planning', 'building')) then
    update artifact_deletions x set begun_at = null, taken_until = null, tries = x.tries - 1, due_at = t + interval '10 minutes'
     where x.org_id = org and x.build_id = build;
    return 'open';
  elsif exists (select from component_builds b
                 where b.org_id = org and b.app_id = d.app_id and coalesce(b.component_id, '') = coalesce(d.component_id, '')
                   and b.status <> 'deleting' and b.artifact ->> 'digest' = d.digest and b.artifact ->> 'repository' = d.repository) then
    return 'kept';
  end if;
  return 'go';
end $$;

-- Of these digests those that other builds of the same repository have.
create or replace function digests_of_builds(org text, build text, digests text[]) returns text[]
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select array(select distinct b.artifact ->> 'digest'
                 from artifact_deletions d
                 join component_builds b on b.org_id = org and b.app_id = d.app_id and coalesce(b.component_id, '') = coalesce(d.component_id, '')
                where d.org_id = org and d.build_id = build and b.id <> d.build_id and b.artifact ->> 'digest' = any(digests))
$$;

-- The digests of builds of the same repository that stay and may be indexes: what they name is needed, too. At most so many.
create or replace function indexes_of_builds(org text, build text, most int) returns text[]
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select array(select distinct b.artifact ->> 'digest'
                 from artifact_deletions d
                 join component_builds b on b.org_id = org and b.app_id = d.app_id and coalesce(b.component_id, '') = coalesce(d.component_id, '')
                where d.org_id = org and d.build_id = build and b.id <> d.build_id and b.status <> 'deleting'
                  and b.artifact ->> 'repository' = d.repository and b.artifact ->> 'digest' <> ''
                  and coalesce(b.artifact ->> 'media_type', '') in ('', 'application/vnd.oci.image.index.v1+json',
                                                                    'application/vnd.docker.distribution.manifest.list.v2+json')
                limit most)
$$;

-- Tries it again later, and says why. Nothing happens where another broker has it.
create or replace function put_off_artifact_deletion(org text, build text, until timestamptz, why text, delay interval) returns void
  language sql
  as $$
  update artifact_deletions d
     set acted_at = case when d.begun_at is null then d.acted_at else svc_now() end, begun_at = null, taken_until = null, fault = why,
         due_at = svc_now() + delay
   where d.org_id = org and d.build_id = build and d.taken_until = until and d.ended_at is null
$$;

-- Ends a deletion, and deletes its build. Nothing happens where another broker has it.
create or replace function end_artifact_deletion(org text, build text, until timestamptz, came text, why text) returns void
  language plpgsql
  as $$
begin
  update artifact_deletions d
     set acted_at = case when d.begun_at is null then d.acted_at else svc_now() end, begun_at = null, taken_until = null,
         outcome = came, fault = why, ended_at = svc_now()
   where d.org_id = org and d.build_id = build and d.taken_until = until and d.ended_at is null;
  if found then
    perform delete_builds(org, array(select b.id::text from component_builds b
                                      where b.org_id = org and b.id = build and b.status = 'deleting' for update));
  end if;
end $$;

-- The digests of an app's artifacts that are being deleted, or may have been since, of these components ('': the sandbox):
-- [{component_id, digest, acted_at}]. acted_at is null while it may happen.
create or replace function artifact_deletions_since(org text, app text, components text[], since timestamptz) returns jsonb
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select coalesce(jsonb_agg(jsonb_build_object('component_id', d.component_id, 'digest', d.digest,
                                               'acted_at', case when d.begun_at is null then d.acted_at
                                                                -- who had it acts no more
                                                                when d.taken_until <= svc_now() then d.taken_until end)), '[]')
    from (select * from artifact_deletions b where b.app_id = app and b.begun_at is not null
           union
          select * from artifact_deletions a where a.app_id = app and a.acted_at >= since) d
   where d.org_id = org and d.digest is not null and d.outcome is distinct from 'kept' and coalesce(d.component_id, '') = any(components)
$$;
