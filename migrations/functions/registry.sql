-- Logins to registries, and the keys that sign their tokens.

-- The time in which one key signs, as a number: 90 days.
create or replace function registry_key_period(at timestamptz) returns int
  language sql immutable
  return floor(extract(epoch from at) / 7776000)::int;

-- Stores the logins that jobs bring: what each opens was decided when its plan was made.
create or replace function write_registry_logins(org text, jobs jsonb) returns void
  language sql
  as $$
  insert into registry_logins (id, org_id, runner_job_id, digest, access)
  select j ->> 'id', org, j ->> 'id', decode(j #>> '{registry_login,digest}', 'hex'), j #> '{registry_login,access}'
    from jsonb_array_elements(jobs) j
   where j ? 'registry_login'
$$;
