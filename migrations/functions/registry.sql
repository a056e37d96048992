-- Logins to registries, and the keys that sign their tokens.

-- The time in which one key signs, as a number: 90 days.
create or replace function registry_key_period(at timestamptz) returns int
  language sql immutable
  return floor(extract(epoch from at) / 7776000)::int;

-- Stores the logins that jobs bring: what each opens was decided when its plan was made.
create or replace function write_registry_logins(org text, jobs jsonb) returns void
  language sql
  as $$
  insert into registry_logins (id, org_id, runner_job_id, digest, access)
  select j ->> 'id', org, j ->> 'id', decode(j #>> '{registry_login,digest}', 'hex'), j #> '{registry_login,access}'
    from jsonb_array_elements(jobs) j
   where j ? 'registry_login';

  insert into registry_logins (id, org_id, install_id, place, runner_job_of, digest, access, expires_at)
  select j #>> '{pull_login,id}', org, j #>> '{pull_login,install_id}', j #>> '{pull_login,place}', j ->> 'id',
         decode(j #>> '{pull_login,digest}', 'hex'), '[]', 'infinity'
    from jsonb_array_elements(jobs) j
   where j ? 'pull_login'
$$;

-- Where something was applied just now, the logins that were there before that job's: 30 days later they open nothing. What has long opened nothing goes.
create or replace function retire_pull_logins(org text, deploys jsonb, t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  update registry_logins o
     set expires_at = t + interval '30 days'
    from jsonb_array_elements(deploys) d
    join registry_logins n on n.org_id = org and n.install_id = d ->> 'install_id' and n.runner_job_of = d ->> 'apply_job_id'
   where d ->> 'status' = 'active' and o.org_id = org and o.install_id = n.install_id and o.place = n.place
     and o.id < n.id and o.expires_at = 'infinity';
  delete from registry_logins o
   using (select distinct d ->> 'install_id' as install from jsonb_array_elements(deploys) d where d ->> 'status' = 'active') x
   where o.org_id = org and o.install_id = x.install and o.expires_at < t - interval '1 day';
end $$;

-- What the clusters of an install pull: each image in that registry that stands there, or stood within the last 30 days, as what reads it
-- follows later. Of the org's own repositories alone.
create or replace function pulls_of_install(org text, install text, server text, image_types text[]) returns jsonb
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select coalesce(jsonb_agg(distinct jsonb_build_object('repository', d.artifact ->> 'repository', 'actions', jsonb_build_array('pull'))), '[]')
    from installs i
    join install_components c on c.org_id = i.org_id and c.install_id = i.id
    join install_deploys l on l.org_id = c.org_id and l.id = c.latest_id and l.component_type = any(image_types)
   cross join lateral (
      select s.artifact from install_deploys s where s.org_id = c.org_id and s.id = c.deployed_id
      union all
      select s.artifact from install_deploys s where s.target_id = c.id and s.applied_at > svc_now() - interval '30 days'
      union all
      (select s.artifact from install_deploys s where s.target_id = c.id and s.applied_at <= svc_now() - interval '30 days'
        order by s.applied_at desc limit 1)) d
   where i.org_id = org and i.id = install and i.deleted_at is null
     and '/' || (d.artifact ->> 'repository') like '%/' || org || '/%'
     and d.artifact ->> 'registry' = server and d.artifact ? 'pull_secret'
$$;
