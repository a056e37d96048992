-- Emitters: their moves, and the one statement that emits. Lock order: queues (lock_signal_queues), emitters by their ids.

-- outcome: created · no-queue · taken (the name) · full (the org has as many as it may)
create or replace function create_emitter(emitter json, template bytea, most int) returns text
  language plpgsql as $$
declare
  e queue_emitters := json_populate_record(null::queue_emitters, emitter);
  t timestamptz;
begin
  perform 1 from orgs o where o.id = e.org_id for no key update; -- counts one creation after the other
  if (select n.emitters from queue_emitter_counts n where n.org_id = e.org_id) >= most then
    return 'full';
  end if;
  perform lock_signal_queues(array[e.queue_id::text]); -- against its deletion
  t := svc_now();
  if not exists (select from queues q where q.org_id = e.org_id and q.id = e.queue_id and q.deleted_at is null) then
    return 'no-queue';
  end if;
  insert into queue_emitters (id, org_id, queue_id, name, description, mode, cron_schedule, time_zone, scheduled_at, delay,
                              jitter_window, grace, missed_policy, missed_limit, overlap_policy, signal_type, runs, task, owner_id,
                              owner_type, dedupe_key, max_executions, retry_delay, signal_expires_in, key_id, contents, next_tick_at,
                              next_emit_at, due_at, schedule_at, status_at, created_at, updated_at, created_by_id)
  values (e.id, e.org_id, e.queue_id, e.name, e.description, e.mode, e.cron_schedule, e.time_zone, e.scheduled_at, e.delay,
          e.jitter_window, e.grace, e.missed_policy, e.missed_limit, e.overlap_policy, e.signal_type, e.runs, e.task, e.owner_id,
          e.owner_type, e.dedupe_key, e.max_executions, e.retry_delay, e.signal_expires_in, e.key_id, template, e.next_tick_at,
          e.next_emit_at, e.next_emit_at, e.schedule_at, t, t, t, e.created_by_id)
      on conflict (queue_id, name) do nothing;
  if not found then
    return 'taken';
  end if;
  insert into status_history (owner_id, org_id, status, description, at) values (e.id, e.org_id, 'active', 'the emitter was created', t);
  return 'created';
end $$;

-- Writes what can be changed of an emitter that still has this version. With a new schedule its next tick is another, and one that is done
-- is active again; one that is paused gets its next tick when it is resumed. A tick of the schedule before that was past already, and
-- waited for its jitter or for room in its queue, is emitted at once; those that waited behind it, and an instant that was due and is
-- replaced, count as skipped. outcome: changed · not-found · stale · taken (the name)
create or replace function change_emitter(expected bigint, emitter json, template bytea, is_rescheduled boolean) returns text
  language plpgsql as $$
declare
  n queue_emitters := json_populate_record(null::queue_emitters, emitter);
  o queue_emitters;
  t timestamptz;
  is_next boolean; -- it gets the next tick of its new schedule
  is_now boolean; -- it emits one of the schedule before first
begin
  select * into o from queue_emitters e where e.org_id = n.org_id and e.id = n.id for no key update;
  if not found then
    return 'not-found';
  elsif o.version <> expected then
    return 'stale';
  end if;
  t := svc_now();
  if is_rescheduled and o.status = 'done' then
    perform move_emitters(array[n.id::text], 'reschedule', 'it has a new time', t);
    o.status := emitter_status_after(o.status, 'reschedule');
  end if;
  is_now := is_rescheduled and o.status = 'active' and o.mode = 'cron' and coalesce(o.next_tick_at <= n.schedule_at, false);
  is_next := is_rescheduled and o.status = 'active' and not is_now;
  begin
    update queue_emitters e
       set name = n.name, description = n.description, cron_schedule = n.cron_schedule, time_zone = n.time_zone,
           scheduled_at = n.scheduled_at, delay = n.delay, jitter_window = n.jitter_window, grace = n.grace,
           missed_policy = n.missed_policy, missed_limit = n.missed_limit, overlap_policy = n.overlap_policy,
           signal_type = n.signal_type, runs = n.runs, task = n.task, owner_id = n.owner_id, owner_type = n.owner_type,
           dedupe_key = n.dedupe_key, max_executions = n.max_executions, retry_delay = n.retry_delay,
           signal_expires_in = n.signal_expires_in, key_id = n.key_id, contents = template,
           fired = e.fired and not is_rescheduled,
           schedule_at = case when is_rescheduled then n.schedule_at else e.schedule_at end,
           next_tick_at = case when is_next then n.next_tick_at else e.next_tick_at end,
           next_emit_at = case when is_now then t when is_next then n.next_emit_at else e.next_emit_at end,
           due_at = case when is_now then t when is_next then n.next_emit_at else e.due_at end,
           skip_count = e.skip_count + case when is_now then greatest(0, e.waiting_ticks - 1)
                                            when is_next and e.next_emit_at <= t then greatest(1, e.waiting_ticks) else 0 end,
           waiting_ticks = case when is_next then 0 when is_now then least(1, e.waiting_ticks) else e.waiting_ticks end,
           version = e.version + 1, updated_at = t
     where e.id = n.id;
  exception when unique_violation then
    return 'taken';
  end;
  return 'changed';
end $$;

-- Moves emitters by the table of moves; where it has no such move nothing happens. One that becomes active has no next tick yet: a
-- broker computes it at once, from status_at on. A tick that was to be emitted before, and waited for room in its queue, counts as
-- skipped. Returns those that moved. The caller holds their locks.
create or replace function move_emitters(ids text[], event text, why text, t timestamptz) returns setof text
  language sql as $$
  with changed as (
    update queue_emitters e
       set status = emitter_status_after(e.status, event), status_description = why, status_at = t,
           paused_until = null, paused_note = null, paused_by_id = null, next_tick_at = null, next_emit_at = null,
           skip_count = e.skip_count + case when e.next_emit_at <= t then greatest(1, e.waiting_ticks) else 0 end, waiting_ticks = 0,
           due_at = case when emitter_status_after(e.status, event) = 'active' then t end,
           version = e.version + 1, updated_at = t
     where e.id = any(ids) and emitter_status_after(e.status, event) is not null
    returning e.id, e.org_id, e.status
  ), told as (
    insert into status_history (owner_id, org_id, status, description, at)
    select c.id, c.org_id, c.status, why, t from changed c
  )
  select c.id::text from changed c
$$;

-- Pauses an emitter, or changes its pause, or resumes it. outcome: done · unchanged · not-found · ended (one that is done has no pause)
-- · past (until)
create or replace function set_emitter_pause(org text, emitter text, event text, note text, until timestamptz, actor text) returns text
  language plpgsql as $$
declare
  t timestamptz;
  found_status text;
  is_moved boolean;
begin
  select e.status into found_status from queue_emitters e where e.org_id = org and e.id = emitter for no key update;
  t := svc_now();
  if found_status is null then
    return 'not-found';
  elsif found_status = 'done' then
    return 'ended';
  elsif until <= t then
    return 'past';
  end if;
  is_moved := exists (select from move_emitters(array[emitter], event, coalesce(note, ''), t));
  if event = 'pause' then
    update queue_emitters e
       set paused_until = until, paused_note = note, paused_by_id = actor, due_at = until, status_description = coalesce(note, ''),
           version = e.version + (not is_moved)::int, updated_at = t
     where e.id = emitter;
  end if;
  return case when is_moved or event = 'pause' then 'done' else 'unchanged' end;
end $$;

-- The emitters to act on now, at most so many, in the order in which they are emitted: orgs take turns, each with its oldest first. While
-- nothing is due this is one look-up in an index. Only where more are due than are asked for does it look for each org's own.
create or replace function list_due_emitters(most int) returns table (id text, queue_id text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  set enable_bitmapscan = off
  as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  orgs text[];
begin
  if not exists (select from queue_emitters e where e.due_at <= t) then
    return;
  end if;
  return query
  select d.id::text, d.queue_id::text
    from (select o.*, row_number() over (partition by o.org_id order by o.due_at, o.id) as turn, count(*) over () as found
            from (select e.id, e.org_id, e.queue_id, e.due_at from queue_emitters e where e.due_at <= t
                   order by e.due_at limit most) o) d
   where d.found < most
   order by d.turn, d.due_at, d.id;
  if found then
    return;
  end if;
  with recursive known (org_id) as (
    select '' collate "C"
    union all
    select (select e.org_id::text from queue_emitters e where e.due_at is not null and e.org_id > k.org_id order by e.org_id limit 1)
      from known k where k.org_id is not null
  )
  select array_agg(k.org_id) into orgs
    from known k where exists (select from queue_emitters e where e.org_id = k.org_id and e.due_at <= t);
  return query
  select d.id::text, d.queue_id::text
    from (select o.*, row_number() over (partition by o.org_id order by o.due_at, o.id) as turn
            from (select s.* from unnest(orgs) g
                   cross join lateral (select e.id, e.org_id, e.queue_id, e.due_at from queue_emitters e
                                        where e.org_id = g and e.due_at <= t
                                        order by e.due_at limit greatest(1, most / cardinality(orgs))) s
                   union -- for what is left of `most`
                  (select e.id, e.org_id, e.queue_id, e.due_at from queue_emitters e where e.due_at <= t
                    order by e.due_at limit most)) o) d
   order by d.turn, d.due_at, d.id limit most;
end $$;

-- Those of these emitters that are due, in this order, whole, up to so many bytes of templates; at least one.
create or replace function read_due_emitters(ids text[], most_bytes bigint) returns setof due_emitter
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
begin
  return query
  select d.id::text, d.org_id::text, d.queue_id::text, d.version, d.mode, d.cron_schedule, d.time_zone, d.jitter_window, d.grace,
         d.missed_policy, d.missed_limit, d.scheduled_at, d.schedule_at, d.next_tick_at, d.next_emit_at, d.paused_until, d.status_at,
         d.key_id, d.contents, t
    from (select e.*, row_number() over placed as place, sum(octet_length(e.contents)) over placed as bytes
            from unnest(ids) with ordinality i (wanted, n)
           cross join lateral (select * from queue_emitters e where e.id = i.wanted offset 0) e
           where e.due_at <= t
          window placed as (order by i.n)) d
   where d.bytes <= most_bytes or d.place = 1
   order by d.place;
end $$;

-- The signals that hold dedupe keys of these emitters, and have expired but for the sweep that says so.
create or replace function late_ticks(ids text[]) returns text[]
  language sql as $$
  select late_signals(array(select json_populate_record(null::new_signal, json_build_object('queue_id', e.queue_id, 'dedupe_key', e.dedupe_key))
                              from queue_emitters e where e.id = any(ids) and e.dedupe_key is not null))
$$;

-- Emits what brokers found due, each tick once: an emitter counts only as it was read, so of two brokers one is first. Its signals,
-- its counts and its next tick are one statement. What a full queue does not take stays the next tick, and is tried again.
-- What stands under offset 0 is looked up for each: planned while little was due or live, joins would walk through all of it in a storm.
create or replace function emit_ticks(ticks json, signals json) returns table (settled settled_emitter, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  given emitted_signal[] := array(select s from json_populate_recordset(null::emitted_signal, signals) s);
  asked emitter_tick[] := array(select k from json_populate_recordset(null::emitter_tick, ticks) k);
  asked_ids text[] := array(select k.id from unnest(asked) k);
  ours emitter_tick[]; -- as they still are
  ids text[];
  has_paused boolean;
  overlapped text[];
  made new_signal[];
  emitters text[];
  outcomes text[];
  held_ids text[];
  filed enqueued_signal[];
  late text[];
begin
  late := late_ticks(asked_ids);
  if cardinality(late) > 0 then
    perform lock_with_late(array(select distinct k.queue_id from unnest(asked) k), late);
    perform expire_late(late, svc_now());
  else
    perform lock_signal_queues(array(select distinct k.queue_id from unnest(asked) k));
  end if;
  perform 1 from queue_emitters e where e.id = any(asked_ids) order by e.id for no key update;
  t := svc_now();
  select array_agg(k), coalesce(array_agg(k.id), '{}'), bool_or(e.status = 'paused') into ours, ids, has_paused
    from unnest(asked) k
   cross join lateral (select * from queue_emitters e where e.id = k.id offset 0) e
   where e.org_id = k.org_id and e.version = k.version and e.next_tick_at is not distinct from k.tick_at and e.due_at <= t;
  if has_paused then
    perform move_emitters(array(select e.id::text from queue_emitters e where e.id = any(ids) and e.status = 'paused'),
                          'resume', 'the pause is over', t);
  end if;
  if cardinality(ids) < cardinality(asked_ids) then
    given := array(select s from unnest(given) s where s.emitter_id = any(ids));
  end if;
  overlapped := array(select e.id::text from queue_emitters e
                       where e.id = any(ids) and e.mode = 'cron' and e.overlap_policy = 'skip'
                         and exists (select from queue_signal_live l
                                      where l.id = e.last_signal_id
                                        and (l.status = 'in-flight' or l.expires_at is null or l.expires_at > t) offset 0));
  select array_agg(row(g.n, g.id, e.org_id, e.queue_id, e.signal_type, e.runs, e.task, e.owner_id, e.owner_type, null, null, null,
                       e.id, g.scheduled_for, e.dedupe_key, null, e.signal_expires_in, e.max_executions, e.retry_delay, g.key_id,
                       g.contents, e.created_by_id, null, null, null)::new_signal order by g.n),
         array_agg(e.id::text order by g.n), array_agg(null::text)
    into made, emitters, outcomes
    from (select s.*, row_number() over (order by s.emitter_id, s.scheduled_for)::int as n
            from unnest(given) s
           where (cardinality(overlapped) = 0 or s.emitter_id <> all(overlapped))
             -- After the database's clock went back a tick could come again.
             and not exists (select from queue_signals f
                              where f.emitter_id = s.emitter_id and f.scheduled_for = s.scheduled_for offset 0)) g
    join queue_emitters e on e.id = g.emitter_id;
  if made is not null then
    outcomes := refuse_signals(made, outcomes, t);
    if exists (select from unnest(outcomes) o where o is not null) then
      -- Later ticks of an emitter wait behind one that is held.
      select array_agg(d.id) filter (where d.is_held), array_agg(d.s order by d.n) filter (where not d.is_held)
        into held_ids, made
        from (select s, s.id, s.request as n,
                     bool_or(outcomes[s.request] is not null) over (partition by s.emitter_id order by s.request) as is_held
                from unnest(made) s) d;
    end if;
    filed := array(select f from file_signals(coalesce(made, '{}'), t) f);
  end if;
  return query
  with sums as materialized (
    select x.id, sum(x.skipped)::int as skipped, max(x.next_tick_at) as next_tick_at, max(x.next_emit_at) as next_emit_at,
           sum(x.emitted)::int as emitted, max(x.last_id) as last_id, min(x.held) as held, count(x.held)::int as waiting,
             count(x.is_signal)::int as signals
      from (select k.id, k.skipped, k.next_tick_at, k.next_emit_at, 0 as emitted, null as last_id, null::timestamptz as held,
                   null::boolean as is_signal
              from unnest(ours) k
            union all
            select emitters[f.request], (f.outcome <> 'enqueued')::int, null, null, (f.outcome = 'enqueued')::int,
                   case when f.outcome = 'enqueued' then f.id end, null, true
              from unnest(filed) f
            union all
            select s.emitter_id, 0, null, null, 0, null, s.scheduled_for, true
              from unnest(given) s where held_ids is not null and s.id = any(held_ids)
            union all
            select s.emitter_id, 1, null, null, 0, null, null, true
              from unnest(given) s where cardinality(overlapped) > 0 and s.emitter_id = any(overlapped)) x
     group by x.id
  ), changed as (
    update queue_emitters e
       set status = coalesce(emitter_status_after(e.status, case when coalesce(x.held, x.next_tick_at) is null then 'finish' end),
                             e.status),
           emit_count = e.emit_count + x.emitted, skip_count = e.skip_count + x.skipped,
           last_emitted_at = case when x.emitted > 0 then t else e.last_emitted_at end,
           last_signal_id = coalesce(x.last_id, e.last_signal_id),
           next_tick_at = coalesce(x.held, x.next_tick_at), waiting_ticks = x.waiting,
           next_emit_at = case when x.held is null then x.next_emit_at when x.held = e.next_tick_at then e.next_emit_at
                               else x.held + coalesce(x.next_emit_at - x.next_tick_at, interval '0') end,
           due_at = case when x.held is null then x.next_emit_at
                         else t + least(interval '1 min', greatest(interval '5 s', (t - x.held) / 2)) end,
           status_at = case when coalesce(x.held, x.next_tick_at) is null then t else e.status_at end,
           status_description = case when x.held is not null then 'the queue, or its org, is full: a tick waits until it takes a signal'
                                     when x.id = any(overlapped) then 'a tick was skipped: the last signal has not ended'
                                     when x.signals > 0 and x.emitted = 0 then 'a tick was skipped: a live signal has its dedupe key'
                                     when x.signals > 0 then ''
                                     when x.next_tick_at is null then 'its time passed while it was paused'
                                     else e.status_description end,
           fired = e.fired or e.mode <> 'cron' and x.emitted > 0
      from sums x where e.id = x.id
    returning e.id, e.org_id, e.status, e.status_description, e.status_at, x.held, x.emitted, x.skipped
  ), told as (
    insert into status_history (owner_id, org_id, status, description, at)
    select c.id, c.org_id, c.status, c.status_description, t from changed c where c.status = 'done'
  )
  select row(c.id, case when c.held is not null then 'full' when c.emitted > 0 then 'emitted' when c.skipped > 0 then 'skipped'
                        else 'planned' end, c.emitted, t)::settled_emitter, null::text
    from changed c
  union all
  select row(a, 'lost', 0, t)::settled_emitter, null from unnest(asked_ids) a
   where cardinality(ids) < cardinality(asked_ids) and a <> all(ids)
  union all
  select null, w from queues_with_work(array(select distinct s.queue_id from unnest(made) s)) w;
end $$;

-- One signal now, because somebody asks for it: its schedule stays as it is, and the overlap policy does not count. outcome: enqueued ·
-- kept (a live signal has its dedupe key) · full · not-found · stale (the version is another)
create or replace function fire_emitter(org text, emitter text, expected bigint, signal json, actor text)
  returns table (outcome text, id text, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  s emitted_signal := json_populate_record(null::emitted_signal, signal);
  e queue_emitters;
  made new_signal[];
  refused text;
  filed enqueued_signal;
  late text[];
  t timestamptz;
begin
  late := late_ticks(array[emitter]);
  perform lock_with_late(array(select x.queue_id::text from queue_emitters x where x.org_id = org and x.id = emitter), late);
  select * into e from queue_emitters x where x.org_id = org and x.id = emitter for no key update;
  if not found then
    return query select 'not-found', null::text, null::text;
    return;
  elsif e.version <> expected then
    return query select 'stale', null::text, null::text;
    return;
  end if;
  t := svc_now();
  perform expire_late(late, t);
  made := array[row(1, s.id, e.org_id, e.queue_id, e.signal_type, e.runs, e.task, e.owner_id, e.owner_type, null, null, null, e.id,
                    null, e.dedupe_key, null, e.signal_expires_in, e.max_executions, e.retry_delay, s.key_id, s.contents, actor, null,
                    null, null)::new_signal];
  refused := (refuse_signals(made, array[null::text], t))[1];
  if refused is not null then
    return query select refused, null::text, null::text;
    return;
  end if;
  select * into filed from file_signals(made, t);
  if filed.outcome = 'enqueued' then
    -- The overlap policy looks at the last signal: that of a tick stays it while it is live.
    update queue_emitters x
       set emit_count = x.emit_count + 1, last_emitted_at = t,
           last_signal_id = case when exists (select from queue_signal_live l where l.id = x.last_signal_id)
                                 then x.last_signal_id else filed.id end
     where x.id = emitter;
  end if;
  return query select filed.outcome, filed.id, null::text
               union all select null, null, w from queues_with_work(array[e.queue_id::text]) w;
end $$;

-- Deletes an emitter; its signals stay. Returns whether there was one.
create or replace function delete_emitter(org text, emitter text) returns boolean
  language plpgsql as $$
begin
  delete from queue_emitters e where e.org_id = org and e.id = emitter;
  return found;
end $$;
