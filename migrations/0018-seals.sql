-- What must not be readable in a dump is sealed by the broker; here are the names of the keys and what they sealed.

-- The keys that sealed something. The proof tells a key from another of the same name, and tells nothing else.
create table seal_keys (
  id          text collate "C" primary key,
  proof       bytea not null check (length(proof) = 32),
  created_at  timestamptz not null default svc_now()
);

-- A sealed result has its contents in one column, and a fingerprint of them by which a repetition is known.
alter table runner_job_execution_results
  add column sealed_contents bytea,
  add column key_id text,
  add column fingerprint bytea,
  add check ((sealed_contents is null) = (key_id is null) and (key_id is null) = (fingerprint is null));
alter table runner_job_execution_results alter column sealed_contents set storage external;

alter type reported_result
  add attribute sealed_contents text, -- base64
  add attribute key_id text,
  add attribute fingerprint text; -- hexadecimal

create or replace function keep_other_results(reports execution_report[], t timestamptz) returns void
  language sql as $$
  insert into runner_job_execution_evidence (execution_id, org_id, kind, body, reason, created_at)
  select r.execution_id, r.org_id, 'result', r.result::jsonb, 'another result was stored before', t
    from unnest(reports) r
   cross join lateral json_populate_record(null::reported_result, r.result) x
    join runner_job_execution_results s on s.execution_id = r.execution_id
   where r.result is not null
     and (s.success, s.error_code, s.error_metadata, s.contents, s.contents_display, s.contents_gzip,
          s.contents_display_gzip, s.fingerprint) is distinct from
         (coalesce(x.success, false), coalesce(x.error_code, 0), coalesce(x.error_metadata, '{}'), x.contents,
          x.contents_display, decode(x.contents_gzip, 'base64'), decode(x.contents_display_gzip, 'base64'),
          decode(x.fingerprint, 'hex'))
$$;

create or replace function store_results(reports execution_report[], t timestamptz) returns void
  language plpgsql as $$
declare
  given int;
  stored int;
begin
  select count(*) into given from unnest(reports) r where r.result is not null;
  insert into runner_job_execution_results (execution_id, org_id, id, success, error_code, error_metadata,
         composite_error, contents, contents_display, contents_gzip, contents_display_gzip, sealed_contents, key_id,
         fingerprint, created_at)
  select r.execution_id, r.org_id, r.result_id, coalesce(x.success, false), coalesce(x.error_code, 0),
         coalesce(x.error_metadata, '{}'), x.composite_error, x.contents, x.contents_display,
         decode(x.contents_gzip, 'base64'), decode(x.contents_display_gzip, 'base64'),
         decode(x.sealed_contents, 'base64'), x.key_id, decode(x.fingerprint, 'hex'), t
    from unnest(reports) r
   cross join lateral json_populate_record(null::reported_result, r.result) x
   where r.result is not null
      on conflict do nothing;
  get diagnostics stored = row_count;
  if stored < given then
    perform keep_other_results(reports, t);
  end if;

  select count(*) into given from unnest(reports) r where r.outputs is not null;
  insert into runner_job_execution_outputs (execution_id, org_id, id, outputs, created_at)
  select r.execution_id, r.org_id, r.outputs_id, r.outputs, t
    from unnest(reports) r where r.outputs is not null
      on conflict do nothing;
  get diagnostics stored = row_count;
  if stored < given then
    insert into runner_job_execution_evidence (execution_id, org_id, kind, body, reason, created_at)
    select r.execution_id, r.org_id, 'outputs', r.outputs::jsonb, 'other outputs were stored before', t
      from unnest(reports) r
      join runner_job_execution_outputs s on s.execution_id = r.execution_id
     where r.outputs is not null and s.outputs::jsonb is distinct from r.outputs::jsonb;
  end if;
end $$;
