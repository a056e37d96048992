-- Rollouts: an order to many processes, a few at a time. One open rollout a group; each step under the lock of its row.

-- Creates a rollout over the processes that were found; the caller makes the ids. outcome: its id · 'open ID' where another is
-- open for the same runners · 'group-not-found'
create or replace function create_rollout(r runner_rollouts, runner_ids text[], process_ids text[], shutdown_ids text[])
  returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  other text;
begin
  perform from orgs where id = r.org_id for no key update; -- two at once would not see each other
  if r.runner_group_id is not null
     and not exists (select from runner_groups g where g.org_id = r.org_id and g.id = r.runner_group_id) then
    return 'group-not-found';
  end if;
  select o.id into other from runner_rollouts o
   where o.org_id = r.org_id and o.deadline_at is not null
     and (o.runner_group_id is null or r.runner_group_id is null or o.runner_group_id = r.runner_group_id)
   limit 1;
  if other is not null then
    return 'open ' || other;
  end if;
  insert into runner_rollouts (id, org_id, runner_group_id, type, reason, max_at_once, include_last, cut_after, deadline_at,
                               created_at, updated_at, created_by_id)
  values (r.id, r.org_id, r.runner_group_id, r.type, r.reason, r.max_at_once, r.include_last, r.cut_after, t, t, t,
          r.created_by_id);
  insert into runner_rollout_targets (rollout_id, position, org_id, runner_id, process_id, shutdown_id)
  select r.id, i.position, r.org_id, i.runner_id, i.process_id, i.shutdown_id
    from unnest(runner_ids, process_ids, shutdown_ids) with ordinality i (runner_id, process_id, shutdown_id, position);
  insert into status_history (owner_id, org_id, status, description, at)
  values (r.id, r.org_id, 'requested', r.reason, t);
  return r.id;
end $$;

-- Moves a rollout by the table of moves of shared/rollout.ts; a move that the table does not have changes nothing.
create or replace function move_rollout(rollout text, event text, description text, t timestamptz) returns void
  language sql as $$
  with moved as (
    update runner_rollouts r
       set status = rollout_status_after(r.status, event), status_description = description, updated_at = t,
           deadline_at = case when event = 'begin' then r.deadline_at end
     where r.id = rollout and rollout_status_after(r.status, event) is not null
    returning r.id, r.org_id, r.status)
  insert into status_history (owner_id, org_id, status, description, at)
  select id, org_id, status, description, t from moved
$$;

-- What has come of the processes that were asked. One that restarts is done when its runner has a process that began after it.
create or replace function settle_rollout_targets(r runner_rollouts, t timestamptz) returns void
  language sql as $$
  update runner_rollout_targets g
     set status = o.outcome, status_description = o.description, ended_at = t
    from (select g.position, w.*
            from runner_rollout_targets g
            left join runner_process_shutdowns d on d.id = g.shutdown_id
           cross join lateral (
             select exists (select from runner_processes p
                             where p.runner_id = g.runner_id and p.id <> g.process_id and p.first_beat_at > g.ordered_at
                               and p.status = 'active' and p.type <> 'mng') as is_back) b
           cross join lateral (values (
             case when d.id is null or d.status in ('failed', 'cancelled') then 'failed'
                  when d.status <> 'completed' then null
                  when r.type <> 'restart' or b.is_back then 'done'
                  when d.updated_at < t - interval '5 minutes' then 'failed' end,
             case when d.id is null then 'the record of its order is gone'
                  when d.status <> 'completed' then d.status_description
                  when r.type <> 'restart' then ''
                  when b.is_back then 'its runner has a new process'
                  else 'no new process of its runner came within 5 min' end)) w (outcome, description)
           where g.rollout_id = r.id and g.status = 'ordered') o
   where g.rollout_id = r.id and g.position = o.position and o.outcome is not null
$$;

-- Asks the next processes, as many as there is room for; answers whom. Of one runner never two at once, and the last live
-- process of a runner only if told. What cannot be asked any more is skipped, and says why.
create or replace function order_rollout_targets(r runner_rollouts, t timestamptz) returns text[]
  language plpgsql as $$
declare
  room int;
  g record;
  busy text[];
  chosen runner_rollout_targets[] := '{}';
  asked text[];
begin
  select r.max_at_once - count(*), coalesce(array_agg(o.runner_id::text), '{}') into room, busy
    from runner_rollout_targets o where o.rollout_id = r.id and o.status = 'ordered';
  for g in
    select w as target, w.position, w.runner_id,
           case when p.id is null or p.status in ('inactive', 'shut-down') then 'it was gone already'
                when p.draining is not null then 'it was shutting down already'
                when not r.include_last and not exists (
                       select from runner_processes q
                        where q.runner_id = w.runner_id and q.id <> w.process_id and q.status = 'active'
                          and q.draining is null and q.type <> 'mng')
                  then 'it was the last live process of its runner' end as hindrance
      from runner_rollout_targets w
      left join runner_processes p on p.id = w.process_id
     where w.rollout_id = r.id and w.status = 'waiting'
       and not exists (select from runner_rollout_targets o -- or they take the places of those that can be asked
                        where o.rollout_id = r.id and o.status = 'ordered' and o.runner_id = w.runner_id)
     order by w.position limit 500
  loop
    exit when room <= 0;
    continue when g.runner_id = any(busy);
    if g.hindrance is null then
      chosen := chosen || g.target;
      room := room - 1;
      busy := busy || g.runner_id::text;
    else
      update runner_rollout_targets w set status = 'skipped', status_description = g.hindrance, ended_at = t
       where w.rollout_id = r.id and w.position = g.position;
    end if;
  end loop;
  asked := array(select s.process_id
                   from order_shutdowns(array(select c.process_id::text from unnest(chosen) c),
                                        array(select c.shutdown_id::text from unnest(chosen) c),
                                        r.type, r.cut_after, r.created_by_id, r.reason) s);
  update runner_rollout_targets w
     set status = case when w.process_id = any(asked) then 'ordered' else 'skipped' end,
         status_description = case when w.process_id = any(asked) then '' else 'it was shutting down already' end,
         ordered_at = case when w.process_id = any(asked) then t end,
         ended_at = case when w.process_id = any(asked) then null else t end
    from unnest(chosen) c
   where w.rollout_id = r.id and w.position = c.position;
  return asked;
end $$;

-- One step of one rollout: what came of those asked, then the next, then whether that was all. After a failure, or when it was
-- called off, nobody else is asked.
create or replace function advance_rollout(r runner_rollouts, t timestamptz) returns text[]
  language plpgsql as $$
declare
  n record;
  asked text[] := '{}';
begin
  if r.status = 'requested' then
    perform move_rollout(r.id, 'begin', '', t);
  end if;
  perform settle_rollout_targets(r, t);
  if r.cancelled_by_id is not null
     or exists (select from runner_rollout_targets g where g.rollout_id = r.id and g.status = 'failed') then
    update runner_rollout_targets g
       set status = 'skipped', ended_at = t,
           status_description = case when r.cancelled_by_id is null then 'another process failed before' else 'called off' end
     where g.rollout_id = r.id and g.status = 'waiting';
  else
    asked := order_rollout_targets(r, t);
  end if;
  select count(*) filter (where status in ('waiting', 'ordered')) as open, count(*) filter (where status = 'failed') as failed,
         count(*) filter (where status = 'done') as done, count(*) filter (where status = 'skipped') as skipped
    into n from runner_rollout_targets g where g.rollout_id = r.id;
  if n.open = 0 then
    perform move_rollout(r.id, case when n.failed > 0 then 'fail' when r.cancelled_by_id is not null then 'cancel'
                                    else 'complete' end,
                         format('%s done, %s skipped, %s failed', n.done, n.skipped, n.failed), t);
  else
    update runner_rollouts o set deadline_at = t + interval '1 second' where o.id = r.id;
  end if;
  return asked;
end $$;

-- Rollouts whose next step is due.
create or replace function sweep_rollouts(batch int) returns swept
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  r runner_rollouts;
  result swept := row(0, '{}'::queue_key[], '{}'::text[], '{}'::text[])::swept;
begin
  for r in select * from runner_rollouts o where o.deadline_at <= t order by o.deadline_at limit batch for update skip locked
  loop
    result.due := result.due + 1;
    result.process_ids := result.process_ids || advance_rollout(r, t);
  end loop;
  return result;
end $$;

-- Calls a rollout off: nobody else is asked. outcome: done · over · not-found
create or replace function cancel_rollout(org text, rollout text, actor text) returns text
  language plpgsql as $$
declare
  r runner_rollouts;
  t timestamptz := svc_now();
begin
  select * into r from runner_rollouts o where o.org_id = org and o.id = rollout for update;
  if not found then
    return 'not-found';
  end if;
  if r.deadline_at is null then
    return 'over';
  end if;
  r.cancelled_by_id := coalesce(r.cancelled_by_id, actor);
  update runner_rollouts o set cancelled_by_id = r.cancelled_by_id, updated_at = t where o.id = r.id;
  perform advance_rollout(r, t);
  return 'done';
end $$;
