-- The audit log: its partitions, and how events get into it.

create or replace function audit_partition_name(month timestamptz) returns text
  language sql immutable strict parallel safe
  return 'audit_events_' || to_char(month at time zone 'UTC', 'YYYYMM');

-- Creates the partition of an instant's month if it is missing. Attaching takes no lock that blocks readers or writers.
create or replace function make_audit_partition(at timestamptz) returns void
  language plpgsql as $$
declare
  name text := audit_partition_name(at);
  month timestamp := date_trunc('month', at at time zone 'UTC');
begin
  if to_regclass(name) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('svc audit partitions'));
  if to_regclass(name) is not null then
    return;
  end if;
  execute format('create table %I (like audit_events including all)', name);
  execute format('alter table audit_events attach partition %I for values from (%L) to (%L)',
                 name, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
  execute format('create trigger %I before truncate on %I for each statement execute function keep_audit_event()',
                 'audit_events_stay_all', name);
end $$;

-- Writes acts that are asked for, and events. Events are the ends of asked acts or stand for themselves; with is_left_out an act ended
-- of which a later event counts how many there were.
create or replace function write_audit(asked jsonb, ended jsonb) returns void
  language plpgsql as $$
declare
  now_at timestamptz := svc_now();
begin
  insert into audit_asked (id, org_id, asked_at, entry)
  select r ->> 'id', r ->> 'org_id', now_at, r from jsonb_array_elements(asked) r;
  if jsonb_array_length(ended) = 0 then
    return;
  end if;
  perform make_audit_partition(now_at);
  insert into audit_events (id, org_id, at, started_at, action, permission, outcome, status, code, count, actor_id,
                            actor_name, account_id, token_id, token_hint, target_type, target_id, parent_id, ip,
                            user_agent, request_id, reason, changes)
  select r.id, r.org_id, now_at, now_at - r.age_ms * interval '1 millisecond', r.action, coalesce(r.permission, ''),
         r.outcome, r.status, r.code, r.count, r.actor_id, coalesce(nullif(a.name, ''), nullif(a.email, ''), t.name, ''),
         coalesce(r.account_id, ''), coalesce(r.token_id, ''), coalesce(t.hint, ''), r.target_type, r.target_id,
         r.parent_id, r.ip, r.user_agent, r.request_id, r.reason, r.changes
    from jsonb_to_recordset(ended)
           as r(id text, org_id text, age_ms float8, action text, permission text, outcome text, status int, code text,
                count bigint, actor_id text, account_id text, token_id text, target_type text, target_id text,
                parent_id text, ip text, user_agent text, request_id text, reason text, changes jsonb, is_left_out boolean)
    left join tokens t on t.id = r.token_id
    left join accounts a on a.id = r.account_id
   where r.is_left_out is not true;
  delete from audit_asked d
   where d.id = any(array(select r ->> 'id' from jsonb_array_elements(ended) r));
end $$;

-- Writes what became of acts whose broker stopped before it answered: nobody knows. Returns how many.
create or replace function end_lost_acts(after interval, most int) returns int
  language plpgsql as $$
declare
  lost jsonb;
begin
  select coalesce(jsonb_agg(l.entry || jsonb_build_object(
           'code', 'broker_stopped', 'age_ms', extract(epoch from svc_now() - l.asked_at) * 1000)), '[]')
    into lost
    from (select d.entry, d.asked_at from audit_asked d where d.asked_at < svc_now() - after
           order by d.asked_at limit most for update skip locked) l;
  perform write_audit('[]', lost);
  return jsonb_array_length(lost);
end $$;
