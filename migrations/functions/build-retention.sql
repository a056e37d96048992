-- Which builds are kept, and how the others go. Lock order: a build, its deletion.

-- The builds of an app that something names: open ones and those of open workflows, what an open build is compared with, what a later build
-- that stays has its artifact from, and what installs have deployed or are about to. What comes to need builds (deploys) adds its own here, and takes them so: `for share`, where status = 'active'.
create or replace function held_builds(org text, app text) returns table (id text)
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select b.id::text
    from component_builds b
   where b.org_id = org and b.app_id = app
     and (b.status in ('planning', 'building')
          or exists (select from workflows w where w.org_id = org and w.id = b.workflow_id and w.finished_at is null)
          or exists (select from runner_job_live l where l.id = b.runner_job_id and l.org_id = org))
   union
  select (select n.id::text from component_builds n
           where n.org_id = org and n.app_id = app and coalesce(n.component_id, '') = coalesce(o.component_id, '') and n.status = 'active'
           order by n.id desc limit 1)
    from component_builds o
   where o.org_id = org and o.app_id = app and o.status in ('planning', 'building')
   union
  select f.id::text
    from component_builds b
    join component_builds f on f.org_id = org and f.id = b.artifact ->> 'tag' and f.id <> b.id
   where b.org_id = org and b.app_id = app and b.status = 'active' and b.expires_at is null and f.app_id = app
   union
  select d.build_id::text -- what is deployed, or is about to be
    from installs i
    join install_components c on c.org_id = org and c.install_id = i.id
    join install_deploys d on d.target_id = c.id
   where i.org_id = org and i.app_id = app and i.deleted_at is null and d.build_id is not null
     and (d.id in (c.deployed_id, c.touched_id) or d.finished_at is null)
$$;

-- The configs of an app of which a build is kept: the active one, those that installs have, those of open workflows, and the last ten that were active.
create or replace function configs_with_builds(org text, app text) returns table (id text)
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select c.id::text from app_configs c where c.org_id = org and c.app_id = app and c.status = 'active'
   union
  select i.applied_config_id::text from installs i where i.org_id = org and i.app_id = app and i.deleted_at is null
   union
  select c.id::text
    from (select app as id union select i.id::text from installs i where i.org_id = org and i.app_id = app and i.deleted_at is null) o
    join workflows w on w.org_id = org and w.owner_id = o.id and w.status not in ('success', 'error', 'cancelled')
   cross join lateral (values (w.app_config_id::text), (w.params ->> 'app_config_id')) c (id)
   union
  select x.id
    from (select c.id::text from app_configs c
           where c.org_id = org and c.app_id = app and c.status in ('active', 'outdated') order by c.version desc limit 10) x
$$;

-- The builds of an app that are kept: what is held; of each component, and of the sandbox, the newest of each config that is kept, also the newest
-- that is active, and the last so many that are active and no no_op, and that failed. 0: all. Of what is deleted only what is held.
create or replace function kept_builds(org text, app text, keep int) returns table (id text)
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select h.id from held_builds(org, app) h where h.id is not null
   union
  select x.id::text
    from (select b.id, b.app_config_id, b.no_op, b.status = 'active' as is_active,
                 row_number() over (partition by b.component_id, b.app_config_id order by b.id desc) as of_config,
                 row_number() over (partition by b.component_id, b.app_config_id, b.status = 'active' order by b.id desc) as of_config_like,
                 row_number() over (partition by b.component_id, b.status = 'active', b.no_op order by b.id desc) as like_it
            from component_builds b
            join apps a on a.org_id = org and a.id = b.app_id and a.deleted_at is null
            left join components c on c.org_id = org and c.id = b.component_id
           where b.org_id = org and b.app_id = app and b.status <> 'deleting' and c.deleted_at is null) x
   where keep = 0 or (not x.no_op and x.like_it <= keep)
      or ((x.of_config = 1 or (x.is_active and x.of_config_like = 1)) and x.app_config_id in (select n.id from configs_with_builds(org, app) n))
$$;

-- Deletes builds that have nothing in the registry any more, with what policies said of them; answers how many.
create or replace function delete_builds(org text, builds text[]) returns int
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  gone int;
begin
  delete from policy_reports r where r.owner_id = any(builds) and r.org_id = org;
  delete from policy_evaluations e where e.org_id = org and e.owner_id = any(builds);
  delete from component_builds b where b.org_id = org and b.id = any(builds);
  get diagnostics gone = row_count;
  return gone;
end $$;

-- Looks through the builds of an app: marks those that nothing needs, takes marks back from those that something needs, and begins to delete
-- those that were marked long enough ago. At most so many of each; answers how many are marked, taken back and deleted, and whether there may be more.
create or replace function tidy_builds(org text, app text, keep int, wait interval, most int,
                                       out marked int, out taken_back int, out deleted int, out has_more boolean)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  due text[];
  kept text[];
  leaving text[];
begin
  marked := 0;
  taken_back := 0;
  deleted := 0;
  has_more := false;
  if not pg_try_advisory_xact_lock(hashtext('svc deletion of builds'), hashtext(app)) then
    return; -- another broker looks through them
  end if;
  -- Locked before it is asked what is needed: who takes a hold has it by now, or finds them deleting.
  due := array(select b.id::text from component_builds b
                where b.org_id = org and b.app_id = app and b.expires_at <= t and b.status <> 'deleting'
                order by b.id limit most for update skip locked);
  kept := array(select k.id from kept_builds(org, app, keep) k);
  update component_builds b set expires_at = null
   where b.org_id = org and b.app_id = app and b.expires_at is not null and b.status <> 'deleting' and b.id = any(kept);
  get diagnostics taken_back = row_count;
  update component_builds b set expires_at = t + wait
   where b.org_id = org
     and b.id = any(array(select x.id::text from component_builds x
                           where x.org_id = org and x.app_id = app and x.expires_at is null
                             and x.status not in ('planning', 'building', 'deleting') and not x.id = any(kept)
                           order by x.id limit most for update skip locked));
  get diagnostics marked = row_count;
  leaving := array(select d from unnest(due) d where not d = any(kept));
  insert into artifact_deletions (org_id, build_id, app_id, component_id, repository, tag, digest, size, due_at, created_at)
  select org, b.id, app, b.component_id, b.artifact ->> 'repository', coalesce(b.artifact ->> 'tag', b.id), b.artifact ->> 'digest', coalesce((b.artifact ->> 'size')::bigint, 0), t, t
    from component_builds b
   where b.org_id = org and b.id = any(leaving) and b.artifact ->> 'repository' <> ''
      on conflict (org_id, build_id) do update -- it went on when its artifact had gone
     set tag = excluded.tag, digest = excluded.digest, size = excluded.size, tries = 0, due_at = excluded.due_at, fault = '', outcome = null, ended_at = null
   where artifact_deletions.ended_at is not null;
  update component_builds b
     set status = 'deleting', status_at = t, status_description = 'nothing needs it any more'
   where b.org_id = org and b.id = any(leaving)
     and exists (select from artifact_deletions d where d.org_id = org and d.build_id = b.id);
  deleted := cardinality(leaving);
  perform delete_builds(org, array(select b.id::text from component_builds b
                                    where b.org_id = org and b.id = any(leaving) and b.status <> 'deleting'));
  has_more := cardinality(due) = most or marked = most;
end $$;

-- The next apps that have builds, after one.
create or replace function apps_with_builds(after text, most int) returns table (org_id text, app_id text)
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with recursive walk as (
    (select b.org_id, b.app_id from component_builds b where b.app_id > after order by b.app_id limit 1)
    union all
    select n.org_id, n.app_id
      from walk w
     cross join lateral (select b.org_id, b.app_id from component_builds b where b.app_id > w.app_id order by b.app_id limit 1) n
  )
  select w.org_id::text, w.app_id::text from walk w limit most
$$;
