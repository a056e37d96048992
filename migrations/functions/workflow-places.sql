-- Places of workflows in lanes: held signals of the lanes' queues.

-- Files a workflow's place in a lane, whose lock the caller holds; whoever holds the lane and waits for somebody hears of it.
create or replace function file_workflow(org text, lane text, workflow text, signal text, actor text, t timestamptz) returns text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  place new_signal := jsonb_populate_record(null::new_signal, jsonb_build_object(
    'request', 1, 'id', signal, 'org_id', org, 'queue_id', lane, 'type', 'workflow', 'runs', 'hold', 'task', workflow_task(),
    'owner_id', workflow, 'owner_type', 'workflows', 'context', '{}'::jsonb, 'max_executions', 1, 'retry_delay', 1000000000,
    'contents', encode(convert_to(json_build_object('workflow_id', workflow)::text, 'UTF8'), 'base64'), 'created_by_id', actor));
  refusal text := (refuse_signals(array[place], array[null::text], t))[1];
begin
  if refusal is not null then
    return case refusal when 'full' then 'full' else 'no-lane' end;
  end if;
  perform file_signals(array[place], t);
  perform wake_workflow(w.org_id, w.id) from workflows w
    join queue_signal_live l on l.id = w.signal_id
   where l.queue_id = lane and l.status = 'in-flight' and w.status = 'failed-pending-retry';
  return 'filed';
end $$;

-- A workflow has finished: its place ends, unless it is also that of one that has not. What it began there hears of it: one that failed
-- meanwhile, or is about to, does not keep the place.
create or replace function leave_place(w workflows, t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  ended_as text := (w).status;
begin
  perform lock_queues_of_signals(array[(w).signal_id::text]); -- of two that finish at once the later one sees the other's end
  if exists (select from workflows x where x.signal_id = (w).signal_id and x.status not in ('success', 'error', 'cancelled')) then
    perform wake_workflow(x.org_id, x.id)
       from (select * from workflows x where x.parent_id = (w).id and x.shares_place and x.finished_at is null order by x.id) x;
    return;
  end if;
  if (w).shares_place then
    select coalesce(max(x.status), ended_as) into ended_as from workflows x where x.signal_id = (w).signal_id and not x.shares_place;
  end if;
  perform end_place((w).signal_id, ended_as, t);
end $$;

-- Ends a workflow's place in its lane; the next in line has its turn. One that had begun has given its place back meanwhile where it is in
-- line: it ends as the workflow did, too.
create or replace function end_place(signal text, ended_as text, t timestamptz) returns void
  language plpgsql as $$
declare
  moves signal_move[];
begin
  perform lock_queues_of_signals(array[signal]);
  moves := array(select row(l.id, case when ended_as = 'cancelled' then 'cancel' when l.status = 'in-flight' then 'finish'
                                       when l.started_at is not null then 'leave' else 'cancel' end,
                            'the workflow ended as ' || ended_as, null, null, null, null)::signal_move
                   from queue_signal_live l where l.id = signal);
  if cardinality(moves) > 0 then
    perform move_signals(moves, t);
  end if;
end $$;

-- Where a workflow waits for a person, its place in the lane is free for others: 'yield'. To go on it takes one again: 'requeue', before
-- those that were filed after it, however full the lane is.
create or replace function move_place(signal text, event text, t timestamptz) returns void
  language plpgsql as $$
declare
  moves signal_move[];
begin
  perform lock_queues_of_signals(array[signal]);
  moves := array(select row(l.id, event, case event when 'yield' then 'its workflow waits for a person' else '' end,
                            null, null, null, null)::signal_move
                   from queue_signal_live l
                  where l.id = signal and l.runs = 'hold' and signal_status_after(l.status, event) is not null);
  if cardinality(moves) > 0 then
    perform move_signals(moves, t);
  end if;
end $$;

-- Locks the installs of children, and the parent's own, in one order: parents may begin children in each other's installs.
create or replace function lock_installs_of_children(parent workflows, children jsonb) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  perform 1 from installs i
    where i.org_id = (parent).org_id
      and i.id = any(array(select c ->> 'owner_id' from jsonb_array_elements(children) c) || (parent).owner_id::text)
    order by i.id for no key update;
end $$;

-- Begins children of a workflow, whose row the caller holds, and their installs; answers why which were not begun, by their refs: full · no-lane (of the
-- install) · not-found (the install). Where one is refused the caller undoes the others.
-- children: drafts as create_workflow takes them, with the name of a lane and a ref
create or replace function begin_children(parent workflows, children jsonb, t timestamptz) returns jsonb
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  org text := (parent).org_id;
  refused jsonb := '{}';
  x jsonb;
  lanes text[];
  lane text;
  place text;
  outcome text;
begin
  select array_agg(lane_of_install(org, c ->> 'owner_id', c ->> 'lane') order by c.n) into lanes
    from jsonb_array_elements(children) with ordinality c (c, n);
  perform lock_signal_queues(array_remove(lanes, null));
  for i in 1 .. cardinality(lanes) loop
    x := children -> (i - 1);
    lane := lanes[i];
    if lane is null then
      outcome := case when exists (select from installs s where s.org_id = org and s.id = x ->> 'owner_id' and s.deleted_at is null)
                      then 'no-lane' else 'not-found' end;
      refused := refused || jsonb_build_object(x ->> 'ref', outcome);
      continue;
    end if;
    place := place_in_lane(parent, lane);
    if place is null then
      outcome := file_workflow(org, lane, x ->> 'id', x ->> 'signal_id', x ->> 'created_by_id', t);
      if outcome <> 'filed' then
        refused := refused || jsonb_build_object(x ->> 'ref', outcome);
        continue;
      end if;
    else
      x := x || jsonb_build_object('signal_id', place, 'shares_place', true);
    end if;
    perform insert_workflow(x || jsonb_build_object('queue_id', lane), t);
    if place is not null then
      perform wake_workflow(org, x ->> 'id');
    end if;
  end loop;
  return refused;
end $$;

create or replace function lane_of_install(org text, install text, lane text) returns text
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select q.id from installs i
    join queues q on q.org_id = i.org_id and q.owner_type = 'installs' and q.owner_id = i.id and q.name = lane and q.install_id = i.id
   where i.org_id = org and i.id = install and i.deleted_at is null and q.deleted_at is null
$$;

-- The place that a workflow, or one that it came of, has in this lane still: one above may have finished without it.
create or replace function place_in_lane(w workflows, lane text) returns text
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with recursive line as (
    select (w).id::text as id, (w).org_id::text as org_id, (w).parent_id::text as parent_id, (w).queue_id::text as queue_id,
           (w).signal_id::text as signal_id
    union all
    select p.id::text, p.org_id::text, p.parent_id::text, p.queue_id::text, p.signal_id::text
      from line l join workflows p on p.org_id = l.org_id and p.id = l.parent_id)
  select l.signal_id from line l join queue_signal_live s on s.id = l.signal_id where l.queue_id = lane limit 1
$$;

-- Marks children as being cancelled: each does the rest at its own look, so that who cancels many waits for none.
create or replace function cancel_children(org text, ids text[]) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  marked text[];
begin
  marked := array(select x.id::text from (select w.id from workflows w
                                           where w.org_id = org and w.id = any(ids) and w.finished_at is null and not w.is_cancelling
                                           order by w.id for no key update) x);
  update workflows w set is_cancelling = true, version = w.version + 1 where w.org_id = org and w.id = any(marked);
  perform wake_workflow(org, x.id) from unnest(marked) with ordinality x (id, n);
end $$;
