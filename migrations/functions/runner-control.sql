-- Operators' changes of runners and their groups. Lock order: the group's row, the runners' queues, the runners' rows. A runner
-- is created with all its queues, so locking them stops all moves of its jobs but claims.

create or replace function lock_runners(runner_ids text[]) returns void
  language sql as $$
  select lock_queues(array(select row(q.runner_id::text, q.job_group::text)::queue_key
                             from runner_queues q where q.runner_id = any(runner_ids)))
$$;

create or replace function live_processes(runner_ids text[]) returns text[]
  language sql stable as $$
  select coalesce(array_agg(p.id::text), '{}') from runner_processes p
   where p.runner_id = any(runner_ids) and p.status not in ('inactive', 'shut-down')
$$;

create or replace function runners_of_group(runner_group text) returns text[]
  language sql stable as $$
  select coalesce(array_agg(u.id::text order by u.id), '{}') from runners u
   where u.runner_group_id = runner_group and u.lifecycle <> 'deleted'
$$;

-- outcome: created · no-group · name-taken
create or replace function create_runner(org text, runner text, runner_group text, runner_name text, display text,
                              operation_id text, actor text) returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  perform 1 from runner_groups g
    where g.org_id = org and g.id = runner_group and g.deleted_at is null for share; -- holds off pauses and new settings
  if not found then
    return 'no-group';
  end if;
  insert into runners (id, org_id, runner_group_id, name, display_name, status_at, created_at, updated_at, created_by_id)
  values (runner, org, runner_group, runner_name, display, t, t, t, actor)
      on conflict (org_id, name) where lifecycle <> 'deleted' do nothing;
  if not found then
    return 'name-taken';
  end if;
  insert into runner_queues (runner_id, job_group, org_id)
  select runner, g, org
    from unnest(array['health-checks', 'sync', 'build', 'deploy', 'sandbox', 'runner', 'operations', 'management',
                      'actions', 'image-actions', '']) g;
  insert into runner_operations (id, org_id, runner_id, operation_type, status_description, created_at, created_by_id)
  values (operation_id, org, runner, 'provision', 'the runner was created', t, actor);
  perform refresh_runners(array[runner]);
  update status_history h set metadata = jsonb_build_object('by', actor) where h.owner_id = runner;
  return 'created';
end $$;

-- Enables, disables, deprovisions or deletes. busy: an execution runs and the runner cannot be deleted;
-- deprovisioned: it cannot be disabled.
create or replace function set_runner_lifecycle(org text, runner text, wanted text, operation_id text, actor text)
  returns runner_change
  language plpgsql as $$
declare
  t timestamptz;
  r runners;
  done runner_change;
begin
  perform lock_runners(array[runner]);
  select * into r from runners u
   where u.org_id = org and u.id = runner and u.lifecycle <> 'deleted' for no key update;
  if not found then
    return row('not-found', '{}', '{}', '{}')::runner_change;
  elsif r.lifecycle = wanted then
    return row('unchanged', '{}', '{}', '{}')::runner_change;
  elsif r.lifecycle = 'deprovisioned' and wanted = 'disabled' then
    return row('deprovisioned', '{}', '{}', '{}')::runner_change;
  end if;
  if wanted = 'deleted' then -- claims take no queue lock: locks the rows that one could take
    perform 1 from runner_job_live l
      where l.runner_id = runner and l.status in ('available', 'in-progress') order by l.id for update;
    if exists (select from runner_job_live l where l.runner_id = runner and l.status = 'in-progress') then
      return row('busy', '{}', '{}', '{}')::runner_change;
    end if;
  end if;

  t := svc_now();
  update runners u set lifecycle = wanted, version = u.version + 1, updated_at = t where u.id = runner;
  done.wakes := array(select k from refresh_runners(array[runner]) k);
  update status_history h set metadata = jsonb_build_object('by', actor)
   where h.owner_id = runner and h.at >= t and h.seq = (select max(s.seq) from status_history s where s.owner_id = runner);
  if wanted in ('deprovisioned', 'deleted') then
    perform flush_queues(org, runner, null, true, 'the runner was ' || wanted);
  end if;
  if wanted = 'deprovisioned' or (wanted = 'enabled' and r.lifecycle = 'deprovisioned') then
    insert into runner_operations (id, org_id, runner_id, operation_type, status_description, created_at, created_by_id)
    values (operation_id, org, runner, case wanted when 'enabled' then 'reprovision' else 'deprovision' end,
            'the runner was ' || wanted, t, actor);
  end if;
  if wanted = 'deleted' then
    with revoked as (
      update tokens k set revoked_at = t, updated_at = t
       where k.org_id = org and k.runner_id = runner and k.revoked_at is null returning k.id
    )
    select array_agg(k.id::text) into done.token_ids from revoked k;
  end if;
  done.outcome := 'done';
  done.process_ids := live_processes(array[runner]);
  return done;
end $$;

-- Pauses a runner or a group; a null pause resumes it. past, far: the end is in the past or over 366 days ahead.
create or replace function set_pause(org text, target text, pause jsonb, reason text, actor text) returns runner_change
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  ends timestamptz := coalesce((pause ->> 'until')::timestamptz, t + (pause ->> 'lasting_ms')::bigint * interval '1 ms');
  is_paused boolean := pause is not null;
  ids text[];
  done runner_change;
begin
  if ends <= t or ends > t + interval '366 days' then
    return row(case when ends <= t then 'past' else 'far' end, '{}', '{}', '{}')::runner_change;
  end if;
  update runner_groups g
     set paused_at = case when is_paused then coalesce(g.paused_at, t) end, paused_until = ends,
         paused_note = case when is_paused then reason end, paused_by_id = case when is_paused then actor end,
         version = g.version + 1, updated_at = t
   where g.org_id = org and g.id = target and g.deleted_at is null and (is_paused or g.paused_at is not null);
  if found then
    ids := runners_of_group(target);
  else
    perform lock_runners(array[target]);
    update runners u
       set paused_at = case when is_paused then coalesce(u.paused_at, t) end, paused_until = ends,
           paused_note = case when is_paused then reason end, paused_by_id = case when is_paused then actor end,
           version = u.version + 1, updated_at = t
     where u.org_id = org and u.id = target and u.lifecycle <> 'deleted' and (is_paused or u.paused_at is not null);
    if not found then
      return row('unchanged', '{}', '{}', '{}')::runner_change; -- it does not exist, or was not paused
    end if;
    ids := array[target];
    insert into status_history (owner_id, org_id, status, description, metadata, at)
    select u.id, org, u.status, u.status_description,
           jsonb_strip_nulls(jsonb_build_object('paused', is_paused, 'until', ends, 'note', reason, 'by', actor)), t
      from runners u where u.id = target;
  end if;
  done.outcome := 'done';
  done.wakes := array(select k from refresh_runners(ids) k);
  done.process_ids := live_processes(ids);
  return done;
end $$;

-- Writes the next version of a group's settings and applies it to its runners at once. stale: `expected` is not the current
-- version.
create or replace function write_runner_settings(org text, runner_group text, expected bigint, next jsonb) returns runner_change
  language plpgsql as $$
declare
  ids text[];
  done runner_change;
begin
  perform 1 from runner_groups g
    where g.org_id = org and g.id = runner_group and g.deleted_at is null for no key update;
  if not found then
    return row('not-found', '{}', '{}', '{}')::runner_change;
  end if;
  update runner_group_settings s
     set version = s.version + 1, updated_at = svc_now(),
         groups = array(select jsonb_array_elements_text(next -> 'groups')),
         job_group_parallelism = next -> 'job_group_parallelism',
         job_group_max_depth = (next ->> 'job_group_max_depth')::int,
         heart_beat_timeout = (next ->> 'heart_beat_timeout')::bigint,
         sandbox_mode = (next ->> 'sandbox_mode')::boolean,
         document = next -> 'document'
   where s.org_id = org and s.runner_group_id = runner_group and s.version = expected;
  if not found then
    return row('stale', '{}', '{}', '{}')::runner_change;
  end if;
  ids := runners_of_group(runner_group);
  done.outcome := 'done';
  done.wakes := array(select k from refresh_runners(ids) k);
  done.process_ids := live_processes(ids);
  return done;
end $$;

-- outcome: done · not-found · in-use
create or replace function delete_runner_group(org text, runner_group text) returns text
  language plpgsql as $$
begin
  perform 1 from runner_groups g
    where g.org_id = org and g.id = runner_group and g.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  elsif cardinality(runners_of_group(runner_group)) > 0 then
    return 'in-use';
  end if;
  update runner_groups g
     set deleted_at = svc_now(), updated_at = svc_now(), paused_at = null, paused_until = null where g.id = runner_group;
  return 'done';
end $$;
