-- Deliveries of events to webhooks. A webhook with something to deliver has a line, whose row is the lock of its streams and
-- deliveries. Lock order: events, lines by webhook, the webhook, deliveries, streams.

create or replace function attempt_partition_name(day date) returns text
  language sql immutable strict parallel safe
  return 'webhook_attempts_' || to_char(day, 'YYYYMMDD');

-- Creates the partition of a day if it is missing. Attaching takes no lock that blocks readers or writers.
create or replace function make_attempt_partition(day date) returns void
  language plpgsql as $$
declare
  name text := attempt_partition_name(day);
begin
  if to_regclass(name) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('svc webhook attempt partitions'));
  if to_regclass(name) is not null then
    return;
  end if;
  execute format('create table %I (like webhook_attempts including all)', name);
  execute format('alter table webhook_attempts attach partition %I for values from (%L) to (%L)', name,
                 day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end $$;

-- Gives a broker lines that are due and that nobody delivers: so many, with those that it has (`held` of each of `orgs`) at most `of_org`
-- of one org. What a killed broker had comes when its lease is over.
create or replace function take_due_lines(most int, of_org int, orgs text[], held int[])
  returns table (webhook_id text, org_id text, lease_id text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  full_orgs text[] := array(select u.org from unnest(orgs, held) u (org, lines) where u.lines >= of_org);
begin
  return query
  update webhook_lines l
     set lease_id = gen_random_uuid()::text, lease_until = t + interval '60 s'
   where l.webhook_id = any(array(
           select d.webhook_id from webhook_lines d
            where d.webhook_id = any(array(
                    select n.webhook_id
                      from (select f.webhook_id, f.due_at, coalesce(held[array_position(orgs, f.org_id::text)], 0)
                                   + row_number() over (partition by f.org_id order by f.due_at) as nth
                              from (select x.webhook_id, x.org_id, x.due_at from webhook_lines x
                                     where x.due_at <= t and (x.lease_until is null or x.lease_until <= t)
                                       and x.org_id <> all(full_orgs)
                                     order by x.due_at limit 5000) f) n -- an org has 1,000 of them at most
                     where n.nth <= of_org order by n.due_at limit most))
              and d.due_at <= t and (d.lease_until is null or d.lease_until <= t)
              for update skip locked))
  returning l.webhook_id::text, l.org_id::text, l.lease_id;
end $$;

-- The first delivery of each stream that is due, but those of `busy` ones, and how to reach the receiver. Extends the lease. No row: the lease
-- is somebody else's. A row without a delivery: there is none just now. One that fails (`is_failing`) gets one delivery at a time.
create or replace function take_line_deliveries(webhook text, lease text, busy text[], most int)
  returns table (id text, url text, key_id text, secret bytea, previous_key_id text, previous_secret bytea, previous_until timestamptz,
                 is_failing boolean,
                 delivery_id text, event_id text, stream text, seq bigint, tries int, attempts int, is_resent boolean, body text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  l webhook_lines;
  room int := most;
begin
  update webhook_lines x set lease_until = t + interval '60 s'
   where x.webhook_id = webhook and x.lease_id = lease returning * into l;
  if not found then
    return;
  end if;
  if l.rests_until > t then
    room := 0;
  elsif exists (select from webhooks w where w.org_id = l.org_id and w.id = webhook and w.failing_since is not null) then
    room := greatest(0, least(most, 1 - cardinality(busy))); -- one that does not answer gets no more of its org's calls
  end if;
  return query
  select w.id::text, w.url, w.key_id, w.secret, w.previous_key_id, w.previous_secret,
         case when w.previous_until > t then w.previous_until end, w.failing_since is not null, d.id::text, d.event_id::text, d.stream::text, d.seq, d.tries,
         d.attempts, d.is_resent, d.body
    from webhooks w
    left join lateral (
      select h.*, e.body
        from (select s.stream from webhook_streams s
               where s.webhook_id = webhook and s.next_at <= t and s.stream <> all(busy)
                 and w.deleted_at is null and w.disabled_at is null
               order by s.next_at, s.stream limit room) s
       cross join lateral (select x.* from webhook_deliveries x
                            where x.webhook_id = webhook and x.stream = s.stream and x.status = 'pending'
                            order by x.seq limit 1) h
        join events e on e.org_id = h.org_id and e.id = h.event_id) d on true
   where w.org_id = l.org_id and w.id = webhook;
end $$;

-- Gives a line back: it is due when its next stream is, and gone when it has none. Whether it is due already; null: the lease is
-- somebody else's.
create or replace function release_webhook_line(webhook text, lease text) returns boolean
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  l webhook_lines;
  due timestamptz;
begin
  select * into l from webhook_lines x where x.webhook_id = webhook and x.lease_id = lease for update;
  if not found then
    return null;
  end if;
  if exists (select from webhooks w where w.org_id = l.org_id and w.id = webhook
              and (w.deleted_at is not null or w.disabled_at is not null)) then
    perform give_up_deliveries(webhook, t);
    return false;
  end if;
  delete from webhook_streams s
   where s.webhook_id = webhook and s.next_at <= t
     and not exists (select from webhook_deliveries d where d.webhook_id = webhook and d.stream = s.stream and d.status = 'pending');
  select s.next_at into due from webhook_streams s where s.webhook_id = webhook order by s.next_at limit 1;
  if due is null then
    delete from webhook_lines x where x.webhook_id = webhook;
    return false;
  end if;
  update webhook_lines x
     set lease_id = null, lease_until = null, due_at = greatest(due, x.rests_until)
   where x.webhook_id = webhook returning x.due_at into due;
  return due <= t;
end $$;

-- Ends what is still to be delivered to a webhook that gets nothing any more. The caller holds its line, if there is one.
create or replace function give_up_deliveries(webhook text, t timestamptz) returns void
  language plpgsql as $$
begin
  update webhook_deliveries d
     set status = 'failed', error_code = 'webhook_disabled', next_at = null, finished_at = t
   where d.webhook_id = webhook and d.status = 'pending';
  delete from webhook_streams s where s.webhook_id = webhook;
  delete from webhook_lines l where l.webhook_id = webhook;
end $$;

-- Tells the audit log what the broker did to a webhook, or will do soon.
create or replace function audit_webhook(org text, webhook text, action text, code text, reason text) returns void
  language sql as $$
  select write_audit('[]', jsonb_build_array(jsonb_build_object(
           'id', made_id('aud'), 'org_id', org, 'age_ms', 0, 'action', action, 'outcome', 'allowed', 'code', code, 'count', 1,
           'actor_id', 'broker', 'target_type', 'webhook', 'target_id', webhook, 'parent_id', '', 'ip', '', 'user_agent', '',
           'request_id', '', 'reason', reason)))
$$;

create or replace function disable_webhook(org text, webhook text, why text, t timestamptz) returns void
  language plpgsql as $$
begin
  update webhooks w set disabled_at = t, disabled_reason = why
   where w.org_id = org and w.id = webhook and w.disabled_at is null and w.deleted_at is null;
  if not found then
    return;
  end if;
  perform give_up_deliveries(webhook, t);
  perform audit_webhook(org, webhook, 'disableWebhook', why,
                        case why when 'gone' then 'its receiver answered 410'
                                 else 'no delivery arrived for 24 hours, and 20 or more events failed' end);
end $$;

-- A delivery that arrived: the webhook is as good as new. One that was disabled is enabled by a ping that arrived.
create or replace function note_delivered(org text, webhook text, t timestamptz, enables boolean) returns boolean
  language plpgsql as $$
declare
  was_disabled boolean;
begin
  select w.disabled_at is not null into was_disabled from webhooks w
   where w.org_id = org and w.id = webhook and w.deleted_at is null
     and (w.failing_since is not null or (enables and w.disabled_at is not null)) for no key update;
  if not found then
    return false;
  end if;
  update webhooks w
     set failing_since = null, failing_events = 0, notice = 0,
         disabled_at = case when enables then null else w.disabled_at end,
         disabled_reason = case when enables then null else w.disabled_reason end
   where w.org_id = org and w.id = webhook;
  if enables and was_disabled then
    perform audit_webhook(org, webhook, 'enableWebhook', 'ping', 'a ping arrived');
  end if;
  return enables and was_disabled;
end $$;

-- Counts a failure against its webhook, tells at 50, 70 and 90 percent of the way how near it is to being disabled, and disables it at the end.
create or replace function note_failed(org text, webhook text, is_first boolean, t timestamptz) returns void
  language plpgsql as $$
declare
  w webhooks;
  done numeric;
  level smallint;
begin
  update webhooks x
     set failing_since = coalesce(x.failing_since, t), failing_events = x.failing_events + case when is_first then 1 else 0 end
   where x.org_id = org and x.id = webhook and x.deleted_at is null and x.disabled_at is null
  returning * into w;
  if not found then
    return;
  end if;
  done := least(extract(epoch from t - w.failing_since) / 86400, w.failing_events / 20.0);
  if done >= 1 then
    perform disable_webhook(org, webhook, 'failing', t);
    return;
  end if;
  level := case when done >= 0.9 then 90 when done >= 0.7 then 70 when done >= 0.5 then 50 else 0 end;
  if level > w.notice then
    update webhooks x set notice = level where x.org_id = org and x.id = webhook;
    perform audit_webhook(org, webhook, 'warnOfWebhook', 'failing_' || level,
                          format('%s %% of the way to being disabled: %s events failed since %s', level, w.failing_events,
                                 to_char(w.failing_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')));
  end if;
end $$;

-- Writes what came of attempts. Of one: what take_line_deliveries answered and the lease; the attempt; `status` and, while pending, `delay_ms`
-- and whether it leaves its stream (`is_detached`); `rest_ms` that the receiver asked for; `counts` for or against the webhook:
-- delivered, failed, gone or nothing. Answers whether the lease was still the caller's: else nothing was written.
create or replace function record_attempts(items jsonb) returns table (delivery_id text, is_written boolean)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  i record;
begin
  perform make_attempt_partition((svc_now() at time zone 'UTC')::date);
  perform 1 from webhook_lines l where l.webhook_id = any(array(select x ->> 'webhook_id' from jsonb_array_elements(items) x))
    order by l.webhook_id for update;
  t := svc_now();
  for i in
    select * from jsonb_to_recordset(items) as x(id text, org_id text, webhook_id text, lease_id text, delivery_id text, stream text, n int,
             started_at timestamptz, duration_ms int, result text, response_status int, response_body text, error_code text, error text,
             status text, delay_ms float8, is_detached boolean, rest_ms float8, counts text, is_first boolean) order by x.webhook_id
  loop
    delivery_id := i.delivery_id;
    is_written := record_attempt(i, t);
    return next;
  end loop;
end $$;

-- One of them; the caller holds its line.
create or replace function record_attempt(i record, t timestamptz) returns boolean
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  due timestamptz := t + i.delay_ms * interval '1 millisecond';
begin
  -- The status is looked at by itself: an index of what is pending would be walked for it.
  if not exists (select from webhook_lines l where l.webhook_id = i.webhook_id and l.lease_id = i.lease_id)
     or (select d.status from webhook_deliveries d where d.org_id = i.org_id and d.id = i.delivery_id) is distinct from 'pending' then
    return false;
  end if;
  update webhook_deliveries d
     set status = i.status, tries = d.tries + 1, attempts = i.n, response_status = i.response_status, error_code = i.error_code,
         stream = case when i.is_detached then d.id else d.stream end,
         next_at = case when i.status = 'pending' then due end,
         last_attempt_at = i.started_at, finished_at = case when i.status <> 'pending' then t end
   where d.org_id = i.org_id and d.id = i.delivery_id;
  insert into webhook_attempts (id, org_id, delivery_id, n, started_at, duration_ms, result, response_status, response_body, error_code,
                                error, at)
  values (i.id, i.org_id, i.delivery_id, i.n, i.started_at, i.duration_ms, i.result, i.response_status, i.response_body, i.error_code,
          i.error, t);
  if i.status = 'pending' and not i.is_detached then
    update webhook_streams s set next_at = due where s.webhook_id = i.webhook_id and s.stream = i.stream;
  else
    if i.is_detached then
      insert into webhook_streams (webhook_id, stream, next_at) values (i.webhook_id, i.delivery_id, due)
          on conflict (webhook_id, stream) do update set next_at = excluded.next_at;
    end if;
    update webhook_streams s set next_at = t
     where s.webhook_id = i.webhook_id and s.stream = i.stream
       and exists (select from webhook_deliveries d where d.webhook_id = i.webhook_id and d.stream = i.stream and d.status = 'pending');
    if not found then
      delete from webhook_streams s where s.webhook_id = i.webhook_id and s.stream = i.stream;
    end if;
  end if;
  if i.rest_ms > 0 then
    update webhook_lines l set rests_until = t + i.rest_ms * interval '1 millisecond' where l.webhook_id = i.webhook_id;
  end if;
  if i.counts = 'delivered' then
    perform note_delivered(i.org_id, i.webhook_id, t, false);
  elsif i.counts = 'failed' then
    perform note_failed(i.org_id, i.webhook_id, i.is_first, t);
  elsif i.counts = 'gone' then
    perform disable_webhook(i.org_id, i.webhook_id, 'gone', t);
  end if;
  return true;
end $$;

-- Has ended deliveries made once more, each tried once: one of them, or those that `chosen` names (status, since, until, workflow_id).
-- Answers how many; null: the webhook is disabled or not there.
create or replace function resend_deliveries(org text, webhook text, delivery text, chosen json, most int) returns int
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  ids text[];
begin
  perform 1 from webhook_lines l where l.webhook_id = webhook for update;
  perform 1 from webhooks w where w.org_id = org and w.id = webhook and w.deleted_at is null and w.disabled_at is null for no key update;
  if not found then
    return null;
  end if;
  t := svc_now();
  ids := case
    when delivery is not null then
      array(select d.id::text from webhook_deliveries d
             where d.org_id = org and d.id = delivery and d.webhook_id = webhook and d.status <> 'pending')
    else
      array(select d.id::text from webhook_deliveries d
             where d.webhook_id = webhook and d.status = chosen ->> 'status'
               and d.created_at >= coalesce((chosen ->> 'since')::timestamptz, '-infinity')
               and d.created_at < coalesce((chosen ->> 'until')::timestamptz, 'infinity')
               and (chosen ->> 'workflow_id' is null or d.workflow_id = chosen ->> 'workflow_id')
             order by d.id limit most) end;
  if cardinality(ids) = 0 then
    return 0;
  end if;
  insert into webhook_lines (webhook_id, org_id, due_at) values (webhook, org, t)
      on conflict (webhook_id) do update set due_at = least(webhook_lines.due_at, excluded.due_at);
  update webhook_deliveries d
     set status = 'pending', is_resent = true, tries = 0, stream = d.id, next_at = t, finished_at = null
   where d.org_id = org and d.id = any(ids);
  insert into webhook_streams (webhook_id, stream, next_at) select webhook, i, t from unnest(ids) i
      on conflict (webhook_id, stream) do update set next_at = excluded.next_at;
  return cardinality(ids);
end $$;
