-- Outputs are values of a state: they are sealed as results are, and so are those that came second.

alter table runner_job_execution_outputs
  alter column outputs drop not null,
  add column sealed_outputs bytea,
  add column key_id text,
  add column fingerprint bytea,
  add check ((outputs is null) = (key_id is not null) and (sealed_outputs is null) = (key_id is null)
             and (fingerprint is null) = (key_id is null)) not valid;
alter table runner_job_execution_outputs alter column sealed_outputs set storage external;

-- A sealed body is its base64; of a result its contents only, as before.
alter table runner_job_execution_evidence add column key_id text;
update runner_job_execution_evidence set key_id = body ->> 'key_id' where kind = 'result' and body ? 'key_id';

-- With a key's id the outputs are the base64 of what it sealed, as a JSON string.
alter type execution_report
  add attribute outputs_key_id text,
  add attribute outputs_fingerprint text; -- hexadecimal

create or replace function keep_other_results(reports execution_report[], t timestamptz) returns void
  language sql as $$
  insert into runner_job_execution_evidence (execution_id, org_id, kind, body, key_id, reason, created_at)
  select r.execution_id, r.org_id, 'result', r.result::jsonb, x.key_id, 'another result was stored before', t
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

create or replace function keep_reports(reports execution_report[], results bigint, outputs bigint, t timestamptz)
  returns void language plpgsql as $$
#variable_conflict use_column
declare
  stored bigint;
begin
  if results > 0 then
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
    if stored < results then
      perform keep_other_results(reports, t);
    end if;
  end if;
  if outputs > 0 then
    insert into runner_job_execution_outputs (execution_id, org_id, id, outputs, sealed_outputs, key_id, fingerprint,
           created_at)
    select r.execution_id, r.org_id, r.outputs_id, case when r.outputs_key_id is null then r.outputs end,
           case when r.outputs_key_id is not null then decode(r.outputs #>> '{}', 'base64') end, r.outputs_key_id,
           decode(r.outputs_fingerprint, 'hex'), t
      from unnest(reports) r where r.outputs is not null
        on conflict do nothing;
    get diagnostics stored = row_count;
    if stored < outputs then
      insert into runner_job_execution_evidence (execution_id, org_id, kind, body, key_id, reason, created_at)
      select r.execution_id, r.org_id, 'outputs', r.outputs::jsonb, r.outputs_key_id,
             'other outputs were stored before', t
        from unnest(reports) r
        join runner_job_execution_outputs s on s.execution_id = r.execution_id
       where r.outputs is not null
         and (s.outputs::jsonb, s.fingerprint) is distinct from
             (case when r.outputs_key_id is null then r.outputs::jsonb end, decode(r.outputs_fingerprint, 'hex'));
    end if;
  end if;
end $$;
