-- Functions that defaults, checks and triggers of tables call. This file is applied before the numbered ones, so nothing here
-- may need a table when it is created.

-- The one clock of the application's SQL; tests replace it in their own database to shift time.
create or replace function svc_now() returns timestamptz language sql volatile as 'select clock_timestamp()';

create or replace function ns(nanoseconds bigint) returns interval
  language sql immutable parallel safe
  return (nanoseconds / 1000) * interval '1 microsecond';

-- The status of a job after an event: the table of shared/runner-job.ts, and the enqueue. Null: there is no such move. Postgres
-- inlines it, so a call costs no more than its text would.
create or replace function job_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'enqueue' then case when status = '' then 'queued' end
    when 'release' then case when status = 'queued' then 'available' end
    when 'claim' then case when status = 'available' then 'in-progress' end
    when 'withdraw' then case when status = 'available' then 'queued' end
    when 'return' then case when status = 'in-progress' then 'queued' end
    when 'retry' then case when status = 'in-progress' then 'queued' end
    when 'finish' then case when status = 'in-progress' then 'finished' end
    when 'fail' then case when status = 'in-progress' then 'failed' end
    when 'expire' then case when status = 'in-progress' then 'timed-out' end
    when 'skip' then case when status in ('queued', 'available', 'in-progress') then 'not-attempted' end
    when 'cancel' then case when status in ('queued', 'available', 'in-progress') then 'cancelled' end end;

-- The status of an execution after an event: the table of shared/runner-job-execution.ts. Null: there is no such move.
create or replace function execution_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'initialize' then case when status = 'pending' then 'initializing' end
    when 'start' then case when status in ('pending', 'initializing') then 'in-progress' end
    when 'clean-up' then case when status in ('pending', 'initializing', 'in-progress') then 'cleaning-up' end
    when 'return' then case when status in ('pending', 'initializing') then 'not-attempted' end
    when 'finish' then case when status in ('pending', 'initializing', 'in-progress', 'cleaning-up') then 'finished' end
    when 'fail' then case when status in ('pending', 'initializing', 'in-progress', 'cleaning-up') then 'failed' end
    when 'expire' then case when status in ('pending', 'initializing', 'in-progress', 'cleaning-up') then 'timed-out' end
    when 'skip' then case when status in ('pending', 'initializing', 'in-progress', 'cleaning-up') then 'not-attempted' end
    when 'cancel' then case when status in ('pending', 'initializing', 'in-progress', 'cleaning-up') then 'cancelled' end
    end;

-- The event that a report of this status stands for.
create or replace function execution_event(status text) returns text
  language sql immutable parallel safe
  return case status
    when 'initializing' then 'initialize' when 'in-progress' then 'start' when 'cleaning-up' then 'clean-up'
    when 'finished' then 'finish' when 'failed' then 'fail' when 'timed-out' then 'expire'
    when 'not-attempted' then 'skip' when 'cancelled' then 'cancel' end;

-- Whether the status is final; false for null.
create or replace function is_execution_end(status text) returns boolean
  language sql immutable parallel safe
  return status is not null and execution_status_after(status, 'cancel') is null;

-- The status of a process, and of its shutdown, after an event: the tables of shared/runner-process.ts.
create or replace function process_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'beat' then case when status in ('pending', 'offline', 'inactive') then 'active' end
    when 'silence' then case when status in ('pending', 'active') then 'offline' end
    when 'give-up' then case when status in ('pending', 'active', 'offline', 'pending-shutdown', 'shutting-down')
                             then 'inactive' end
    when 'announce-shutdown' then case when status in ('pending', 'active', 'offline', 'inactive', 'shutting-down')
                                       then 'pending-shutdown' end
    when 'begin-shutdown' then case when status in ('pending', 'active', 'offline', 'inactive', 'pending-shutdown')
                                    then 'shutting-down' end
    when 'shut-down' then case when status in ('pending', 'active', 'offline', 'inactive', 'pending-shutdown',
                                               'shutting-down') then 'shut-down' end end;

create or replace function shutdown_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'begin' then case when status = 'requested' then 'in-progress' end
    when 'complete' then case when status in ('requested', 'in-progress') then 'completed' end
    when 'fail' then case when status in ('requested', 'in-progress') then 'failed' end
    when 'cancel' then case when status in ('requested', 'in-progress') then 'cancelled' end end;

-- The status of a rollout after an event: the table of shared/rollout.ts.
create or replace function rollout_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'begin' then case when status = 'requested' then 'in-progress' end
    when 'complete' then case when status in ('requested', 'in-progress') then 'completed' end
    when 'fail' then case when status in ('requested', 'in-progress') then 'failed' end
    when 'cancel' then case when status in ('requested', 'in-progress') then 'cancelled' end end;

-- The status of a queue of signals after an event: the table of shared/queue.ts.
create or replace function queue_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'idle' then case when status = 'active' then 'idle' end
    when 'wake' then case when status = 'idle' then 'active' end
    when 'pause' then case when status in ('active', 'idle') then 'paused' end
    when 'resume' then case when status = 'paused' then 'active' end end;

-- The status of a signal after an event: the table of shared/queue-signal.ts, and the enqueue.
create or replace function signal_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'enqueue' then case when status = '' then 'queued' end
    when 'start' then case when status = 'queued' then 'in-flight' end
    when 'lapse' then case when status = 'in-flight' then 'queued' end
    when 'return' then case when status = 'in-flight' then 'queued' end
    when 'retry' then case when status = 'in-flight' then 'retrying' end
    when 'yield' then case when status = 'in-flight' then 'retrying' end
    when 'requeue' then case when status = 'retrying' then 'queued' end
    when 'leave' then case when status in ('queued', 'retrying') then 'finished' end
    when 'finish' then case when status = 'in-flight' then 'finished' end
    when 'die' then case when status = 'in-flight' then 'dead' end
    when 'expire' then case when status in ('queued', 'retrying') then 'expired' end
    when 'cancel' then case when status in ('queued', 'in-flight', 'retrying') then 'cancelled' end
    when 'redrive' then case when status = 'dead' then 'queued' end end;

-- The status of an emitter after an event: the table of shared/queue-emitter.ts.
create or replace function emitter_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'pause' then case when status = 'active' then 'paused' end
    when 'resume' then case when status = 'paused' then 'active' end
    when 'finish' then case when status = 'active' then 'done' end
    when 'reschedule' then case when status = 'done' then 'active' end end;

-- The status of a workflow after an event: the table of shared/workflow.ts.
create or replace function workflow_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'start' then case when status = 'pending' then 'in-progress' end
    when 'await-approval' then case when status = 'in-progress' then 'approval-awaiting' end
    when 'go-on' then case when status = 'approval-awaiting' then 'in-progress' end
    when 'stall' then case when status = 'in-progress' then 'failed-pending-retry' end
    when 'redo' then case when status = 'failed-pending-retry' then 'in-progress' end
    when 'give-up' then case when status = 'failed-pending-retry' then 'error' end
    when 'fail' then case when status = 'in-progress' then 'error' end
    when 'succeed' then case when status = 'in-progress' then 'success' end
    when 'resume' then case when status = 'error' then 'pending' end
    when 'cancel' then case when status in ('pending', 'in-progress', 'approval-awaiting', 'failed-pending-retry')
                            then 'cancelled' end end;

-- The same of its steps: the table of shared/workflow-step.ts.
create or replace function workflow_step_status_after(status text, event text) returns text
  language sql immutable parallel safe
  return case event
    when 'begin' then case when status = 'pending' then 'in-progress' end
    when 'succeed' then case when status = 'in-progress' then 'success' end
    when 'check' then case when status = 'in-progress' then 'checking-plan' end
    when 'auto-approve' then case when status = 'checking-plan' then 'approved' end
    when 'ask' then case when status = 'checking-plan' then 'approval-awaiting' end
    when 'approve' then case when status = 'approval-awaiting' then 'approved' end
    when 'replan' then case when status = 'approval-awaiting' then 'approval-retry' end
    when 'deny' then case when status = 'approval-awaiting' then 'approval-denied' end
    when 'expire' then case when status = 'approval-awaiting' then 'approval-expired' end
    when 'auto-skip' then case when status in ('pending', 'in-progress', 'checking-plan') then 'auto-skipped' end
    when 'stall' then case when status in ('in-progress', 'checking-plan') then 'failed-pending-retry' end
    when 'fail' then case when status in ('in-progress', 'checking-plan', 'failed-pending-retry') then 'error' end
    when 'skip' then case when status in ('pending', 'failed-pending-retry') then 'user-skipped' end
    when 'discard' then case when status = 'pending' then 'discarded' end
    when 'leave' then case when status = 'pending' then 'not-attempted' end
    when 'cancel' then case when status in ('pending', 'in-progress', 'checking-plan', 'approval-awaiting', 'failed-pending-retry')
                            then 'cancelled' end end;

-- Whether these events, one after the other, lead from a status to another by a table of moves: what a statement writes at once may be
-- several moves. Null: there is a move that the table has not.
create or replace function status_after_all(machine text, status text, events jsonb) returns text
  language plpgsql immutable parallel safe set search_path from current as $$
declare
  event text;
begin
  for event in select * from jsonb_array_elements_text(events) loop
    status := case machine when 'workflow' then workflow_status_after(status, event) else workflow_step_status_after(status, event) end;
  end loop;
  return status;
end $$;

-- The moves that can be stored. In plpgsql, because Postgres parses a check, and a function in SQL that it calls, for every
-- statement that writes the table: with the moves in the check itself a single insert took four times as long. It keeps the
-- search path of the migration: a restore of data and logical replication write with an empty one.
create or replace function is_job_move(event text, from_status text, to_status text) returns boolean
  language plpgsql immutable parallel safe set search_path from current as $$
begin
  return coalesce(to_status = job_status_after(from_status, event), false);
end $$;

-- A custom role of one org cannot be given in another.
create or replace function account_role_fits() returns trigger language plpgsql as $$
begin
  if exists (select from roles where id = new.role_id and org_id is not null and org_id <> new.org_id) then
    raise foreign_key_violation using message = 'the role belongs to another org';
  end if;
  return new;
end $$;

-- Every broker caches tokens for some seconds, so all of them are notified of a revoked one.
create or replace function tokens_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('svc_tokens', old.id);
  return null;
end $$;

create or replace function account_roles_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('svc_tokens', coalesce(new.account_id, old.account_id));
  return null;
end $$;

-- Limits the late reports that are kept of an execution to 20, to 128 MiB of sealed bodies, and to one copy of each: a process
-- may send the same or other reports again for as long as its runner has a token.
create or replace function bound_evidence() returns trigger language plpgsql as $$
declare
  n bigint;
  size bigint;
  has_same boolean;
begin
  select count(*), coalesce(sum(octet_length(v.sealed)), 0),
         bool_or(v.kind = new.kind and v.sealed is null and new.sealed is null and v.body = new.body
                 or v.kind = 'result' and new.kind = 'result' and new.body ? 'fingerprint'
                    and v.body - '{sealed_contents,key_id}'::text[] = new.body - '{sealed_contents,key_id}'::text[])
    into n, size, has_same
    from runner_job_execution_evidence v where v.execution_id = new.execution_id;
  if n >= 20 or has_same or size + coalesce(octet_length(new.sealed), 0) > 128 * 1024 * 1024 then
    return null;
  end if;
  return new;
end $$;

-- What was written to the audit log stays as it was written. Only the drop of a whole partition takes it away, and a delete of what
-- is older than the days for which its org keeps it.
create or replace function keep_audit_event() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.at < svc_now() - make_interval(days => (select o.retain_audit_days from orgs o where o.id = old.org_id)) then
      return old;
    end if;
  end if;
  raise insufficient_privilege using message = 'the audit log is append-only: ' || lower(tg_op) || ' is refused';
end $$;

-- Keeps how many emitters each org has, whoever creates or deletes them.
create or replace function count_emitters() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into queue_emitter_counts as n (org_id, emitters) select c.org_id, count(*) from changed c group by 1 order by 1
        on conflict (org_id) do update set emitters = n.emitters + excluded.emitters;
  else
    perform 1 from queue_emitter_counts n where n.org_id in (select c.org_id from changed c) order by n.org_id for no key update;
    update queue_emitter_counts n set emitters = n.emitters - d.emitters
      from (select c.org_id, count(*)::int as emitters from changed c group by 1) d where n.org_id = d.org_id;
  end if;
  return null;
end $$;

-- An id as brokers make them, of this time: ten digits of that, sixteen of chance.
create or replace function made_id_at(prefix text, t timestamptz) returns text
  language sql as $$
  select prefix || '_'
         || (select string_agg(substr(m.digits, ((m.ms >> (5 * (9 - n))) & 31)::int + 1, 1), '' order by n) from generate_series(0, 9) n)
         || (select string_agg(substr(m.digits, (get_byte(m.chance, n) & 31) + 1, 1), '') from generate_series(0, 15) n)
    from (select '0123456789abcdefghjkmnpqrstvwxyz' as digits, uuid_send(gen_random_uuid()) as chance,
                 (extract(epoch from t) * 1000)::bigint as ms) m
$$;

-- Notes which of an app's components and runbooks its active config has, and the labels that it gives them: those win, and those of the
-- former config go. Once for a config. By its document: drafts of older brokers tell names alone.
create or replace function note_config_parts(org text, app text, config text) returns void
  language plpgsql as $$
declare
  given record;
  kind text;
begin
  if exists (select from component_configs c where c.app_config_id = config)
     or exists (select from runbook_configs r where r.app_config_id = config) then
    return;
  end if;
  select coalesce(d.components, '[]') as components, coalesce(d.runbooks, '[]') as runbooks into given
    from app_configs c cross join lateral json_to_record(c.document::json) as d(components json, runbooks json)
   where c.org_id = org and c.id = config and c.document <> '';
  if not found then
    return;
  end if;
  insert into component_configs (id, org_id, component_id, app_config_id, name, type, created_at)
  select made_id_at('ccc', svc_now()), org, x.id, config, n.name, coalesce(n.type, ''), svc_now()
    from json_to_recordset(given.components) as n(name text, type text)
    join components x on x.app_id = app and x.deleted_at is null and replace(x.name, '-', '_') = replace(n.name, '-', '_');
  insert into runbook_configs (id, org_id, runbook_id, app_config_id, name, created_at)
  select made_id_at('rbc', svc_now()), org, x.id, config, n.name, svc_now()
    from json_to_recordset(given.runbooks) as n(name text)
    join runbooks x on x.app_id = app and x.deleted_at is null and replace(x.name, '-', '_') = replace(n.name, '-', '_');
  foreach kind in array array['components', 'runbooks'] loop
    execute format('
      with given as (
        select x.id, coalesce(n.labels, ''{}'') as labels
          from %1$I x
          left join json_to_recordset($3) as n(name text, labels jsonb) on replace(x.name, ''-'', ''_'') = replace(n.name, ''-'', ''_'')
         where x.org_id = $1 and x.app_id = $2 and x.deleted_at is null)
      update %1$I x
         set config_labels = g.labels, labels = (x.labels - array(select jsonb_object_keys(x.config_labels))) || g.labels,
             updated_at = svc_now()
        from given g
       where x.org_id = $1 and x.id = g.id and x.config_labels <> g.labels', kind)
      using org, app, case kind when 'components' then given.components else given.runbooks end;
  end loop;
end $$;

-- Notes the parts of a config that came in force by functions of schema 0117, which do not.
create or replace function note_active_config() returns trigger language plpgsql as $$
begin
  perform note_config_parts(new.org_id, new.id, new.active_config_id);
  return null;
end $$;
