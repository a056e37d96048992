-- What the tables' own defaults, checks and triggers call. This file alone is applied before the numbered ones, so
-- nothing here may need a table when it is created.

-- The one clock of the application's SQL; tests replace it in their own database to shift time.
create or replace function svc_now() returns timestamptz language sql volatile as 'select clock_timestamp()';

create or replace function ns(nanoseconds bigint) returns interval
  language sql immutable parallel safe
  return (nanoseconds / 1000) * interval '1 microsecond';

-- The moves that can be stored. A function, because Postgres reads the text of a check anew for every statement that
-- writes the table: with the moves in the check itself a lone insert took four times as long.
create or replace function is_job_move(event text, from_status text, to_status text) returns boolean
  language plpgsql immutable parallel safe as $$
begin -- not in SQL: that would be read anew each time, too
  return case event
    when 'enqueue' then from_status = '' and to_status = 'queued'
    when 'release' then from_status = 'queued' and to_status = 'available'
    when 'claim' then from_status = 'available' and to_status = 'in-progress'
    when 'withdraw' then from_status = 'available' and to_status = 'queued'
    when 'return' then from_status = 'in-progress' and to_status = 'queued'
    when 'retry' then from_status = 'in-progress' and to_status = 'queued'
    when 'finish' then from_status = 'in-progress' and to_status = 'finished'
    when 'fail' then from_status = 'in-progress' and to_status = 'failed'
    when 'expire' then from_status = 'in-progress' and to_status = 'timed-out'
    when 'skip' then from_status in ('queued', 'available', 'in-progress') and to_status = 'not-attempted'
    when 'cancel' then from_status in ('queued', 'available', 'in-progress') and to_status = 'cancelled'
    else false end;
end $$;

-- A custom role of one org cannot be given in another.
create or replace function account_role_fits() returns trigger language plpgsql as $$
begin
  if exists (select from roles where id = new.role_id and org_id is not null and org_id <> new.org_id) then
    raise foreign_key_violation using message = 'the role belongs to another org';
  end if;
  return new;
end $$;

-- Every broker remembers tokens for some seconds; whatever takes one away is told to all of them.
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

-- Of an execution 20 things are kept that came too late, 128 MiB of what is large, and the same once: who reports may
-- repeat what it says, or say something else each time, for as long as its runner has a token.
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
