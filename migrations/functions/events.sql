-- Events of workflows and of their steps: how moves write them, and how they become deliveries.

-- A new id as brokers make them.
create or replace function made_id(prefix text) returns text
  language sql as $$
  select made_id_at(prefix, svc_now())
$$;

-- Tells all brokers of new events of these orgs, once the statement is committed: its last act. Nothing is written for it, so moves of an
-- org wait for nothing of each other. Brokers that hear nothing look for events by themselves.
create or replace function tell_of_events(orgs text[]) returns void
  language sql as $$
  select pg_notify('svc_wake', E'\nevents:' || o) from (select distinct o from unnest(orgs) o order by o) o
$$;

-- Writes events, in their order: as the last act of the statement that moves their workflows. Of one: org_id, kind, transition, workflow_id,
-- workflow_type, step_id, slugs, entities [{kind, id, labels}], and data: what receivers get besides kind, transition and org_id, with links
-- as names of pages and ids of what they show.
create or replace function write_events(drafts jsonb, t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  if jsonb_array_length(drafts) = 0 then
    return;
  end if;
  with draft as materialized (
    select d.org_id, d.kind, d.transition, d.workflow_id, d.workflow_type, d.step_id, d.slugs, d.entities, d.data, d.n,
           row_number() over (partition by d.workflow_id order by d.n) as nth
      from rows from (jsonb_to_recordset(drafts) as (org_id text, kind text, transition text, workflow_id text, workflow_type text,
                                                     step_id text, slugs text[], entities jsonb, data jsonb))
           with ordinality as d(org_id, kind, transition, workflow_id, workflow_type, step_id, slugs, entities, data, n)
  ), counted as (
    insert into event_sequences (workflow_id, last_seq, last_at)
    select d.workflow_id, count(*), t from draft d group by d.workflow_id order by d.workflow_id
        on conflict (workflow_id) do update
           set last_seq = event_sequences.last_seq + excluded.last_seq, last_at = excluded.last_at
    returning workflow_id, last_seq
  )
  insert into events (id, org_id, kind, transition, workflow_id, workflow_type, step_id, seq, slugs, entities, data, created_at, install_id)
  select made_id('evt'), d.org_id, d.kind, d.transition, d.workflow_id, d.workflow_type, d.step_id,
         c.last_seq - count(*) over (partition by d.workflow_id) + d.nth, d.slugs, d.entities, d.data, t,
         (select e ->> 'id' from jsonb_array_elements(d.entities) e where e ->> 'kind' = 'installs' limit 1)
    from draft d join counted c using (workflow_id)
   order by d.n;
  perform tell_of_events(array(select d ->> 'org_id' from jsonb_array_elements(drafts) d));
end $$;

-- The event of each process that the broker gave up: that of a workflow of its own, which begins and ends with it.
create or replace function tell_inactive_runners(process_ids text[], silent_since timestamptz[], t timestamptz) returns void
  language sql as $$
  select write_events(coalesce(jsonb_agg(jsonb_build_object(
           'org_id', p.org_id, 'kind', 'workflow', 'transition', 'failed', 'workflow_id', i.workflow_id, 'workflow_type', 'runner_inactive',
           'slugs', jsonb_build_array('resource:runners', 'op:runners.inactive', 'event:lifecycle.failed', 'outcome:completion',
                                      'outcome:failures'),
           'entities', case when i.install_id is null then jsonb_build_array()
                            else jsonb_build_array(jsonb_build_object('kind', 'installs', 'id', i.install_id,
                                                                        'labels', coalesce(n.labels, '{}'))) end,
           'data', jsonb_build_object(
             'workflow', jsonb_build_object('id', i.workflow_id, 'type', 'runner_inactive')
                         || case when i.install_id is null then jsonb_build_object()
                                 else jsonb_build_object('owner_id', i.install_id, 'owner_type', 'installs') end,
             'outcome', jsonb_build_object(
               'status', 'failed', 'duration_ms', greatest(0, (extract(epoch from t - d.since) * 1000)::bigint),
               'error', format('The process %s of the runner %s was silent for 5 min: the broker gave up on it.', p.id, p.runner_id)),
             'links', jsonb_strip_nulls(jsonb_build_object('org', p.org_id, 'runner', p.runner_id, 'install', n.id)))) order by p.id),
         '[]'), t)
    from unnest(process_ids, silent_since) as d(process_id, since)
    join runner_processes p on p.id = d.process_id and p.status = 'inactive'
    join runners u on u.org_id = p.org_id and u.id = p.runner_id
    join runner_groups g on g.org_id = u.org_id and g.id = u.runner_group_id
   cross join lateral (select made_id('wfl') as workflow_id,
                              case when g.type = 'install' then nullif(g.owner_id, '') end as install_id
                        where p.id is not null) i
    left join installs n on n.org_id = p.org_id and n.id = i.install_id
$$;

-- Whether this lease may fan out the org's events, for five seconds from now; whoever has another one hears that there are more.
create or replace function take_fan_out(org text, lease text) returns boolean
  language plpgsql as $$
declare
  f fan_outs;
  t timestamptz;
begin
  select * into f from fan_outs x where x.org_id = org for update;
  if not found then
    insert into fan_outs (org_id) values (org) on conflict (org_id) do nothing;
    select * into f from fan_outs x where x.org_id = org for update;
  end if;
  t := svc_now();
  if f.lease_id <> lease and f.lease_until > t then
    update fan_outs x set is_asked = true where x.org_id = org and not x.is_asked;
    return false;
  end if;
  update fan_outs x set lease_id = lease, lease_until = t + interval '5 seconds', is_asked = false where x.org_id = org;
  return true;
end $$;

-- Ends a turn; true: it goes on, as others heard of more events since it was taken.
create or replace function leave_fan_out(org text, lease text) returns boolean
  language plpgsql as $$
declare
  f fan_outs;
begin
  select * into f from fan_outs x where x.org_id = org for update;
  if f.lease_id is distinct from lease then
    return false; -- it ran out, and somebody else has it
  elsif f.is_asked then
    return true;
  end if;
  update fan_outs x set lease_id = null, lease_until = null where x.org_id = org;
  return false;
end $$;

-- Ends all turns of a broker that stops; the others hear that it is theirs.
create or replace function pass_on_fan_outs(lease text) returns void
  language plpgsql as $$
declare
  orgs text[];
begin
  with passed as (
    update fan_outs f set lease_id = null, lease_until = null, is_asked = false where f.lease_id = lease returning f.org_id)
  select array_agg(p.org_id::text) into orgs from passed p;
  perform tell_of_events(orgs);
end $$;

-- Those of these webhooks to which something may be delivered.
create or replace function reachable_webhooks(org text, ids text[]) returns text[]
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select array(select w.id::text from webhooks w
                where w.org_id = org and w.id = any(ids) and w.deleted_at is null and w.disabled_at is null)
$$;

-- Makes deliveries of events, once for each event and webhook, and marks the events; answers the webhooks that got some.
-- items: [{id, body, deliveries: [{id, webhook_id}]}]
create or replace function fan_out_events(org text, items jsonb) returns setof text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  ids text[] := array(select i ->> 'id' from jsonb_array_elements(items) with ordinality x (i, n) order by n);
  bodies text[] := array(select i ->> 'body' from jsonb_array_elements(items) with ordinality x (i, n) order by n);
  hooks text[] := array(select distinct d ->> 'webhook_id' from jsonb_array_elements(items) i
                         cross join lateral jsonb_array_elements(i -> 'deliveries') d);
  fresh text[];
begin
  -- Whoever else fans them out waits: were some passed over, a later event could overtake an earlier one.
  fresh := array(select e.id::text from events e
                  where e.org_id = org and e.id = any(ids) and e.fanned_out_at is null
                  order by e.workflow_id, e.seq for update);
  t := svc_now();
  hooks := reachable_webhooks(org, hooks);
  -- Locked before anything is made: whoever empties a stream looks for what is in it only then.
  insert into webhook_lines (webhook_id, org_id, due_at)
  select distinct d ->> 'webhook_id', org, t
    from jsonb_array_elements(items) i
   cross join lateral jsonb_array_elements(i -> 'deliveries') d
   where i ->> 'id' = any(fresh) and d ->> 'webhook_id' = any(hooks)
   order by 1
      on conflict (webhook_id) do update set due_at = least(webhook_lines.due_at, excluded.due_at);
  hooks := reachable_webhooks(org, hooks); -- one may have been disabled while this waited for its line
  return query
  with told as (
    update events e set fanned_out_at = t, body = i.body
      from unnest(ids, bodies) as i (id, body)
     where e.org_id = org and e.id = any(fresh) and e.id = i.id
    returning e.id, e.workflow_id, e.seq
  ), made as (
    insert into webhook_deliveries (id, org_id, webhook_id, event_id, workflow_id, seq, stream, next_at, created_at)
    select d ->> 'id', org, d ->> 'webhook_id', e.id, e.workflow_id, e.seq, e.workflow_id, t, t
      from told e
      join jsonb_array_elements(items) i on i ->> 'id' = e.id
     cross join lateral jsonb_array_elements(i -> 'deliveries') d
     where d ->> 'webhook_id' = any(hooks)
        on conflict (org_id, event_id, webhook_id) do nothing
    returning webhook_id, stream
  ), streamed as (
    insert into webhook_streams (webhook_id, stream, next_at)
    select distinct m.webhook_id, m.stream, t from made m order by 1, 2
        on conflict (webhook_id, stream) do nothing
  )
  select distinct m.webhook_id::text from made m;
end $$;

-- Orgs with events that nobody has fanned out for a while: their task was lost, or failed too often. It goes from org to org in the index
-- of these events alone.
create or replace function orgs_not_fanned_out(after interval) returns setof text
  language sql stable
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with recursive org as (
    (select e.org_id::text as id from events e where e.fanned_out_at is null order by e.org_id limit 1)
    union all
    select (select e.org_id::text from events e where e.fanned_out_at is null and e.org_id > o.id order by e.org_id limit 1)
      from org o where o.id is not null
  )
  select o.id from org o
   where o.id is not null
     and exists (select from events e where e.org_id = o.id and e.fanned_out_at is null and e.created_at < svc_now() - after)
$$;
