-- What came too late and is large keeps its sealed bytes beside its body, as results and outputs do, so that it is read in
-- pieces: as base64 within the body, each read of the execution had all of it in memory several times.

alter table runner_job_execution_evidence add column sealed bytea;
alter table runner_job_execution_evidence alter column sealed set storage external;

create or replace function keep_other_results(reports execution_report[], t timestamptz) returns void
  language sql as $$
  insert into runner_job_execution_evidence (execution_id, org_id, kind, body, sealed, key_id, reason, created_at)
  select r.execution_id, r.org_id, 'result', r.result::jsonb - 'sent_contents',
         case when (x.sent_contents).id is not null then sent_bytes(r.org_id, x.sent_contents) end,
         x.key_id, 'another result was stored before', t
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
           case when (x.sent_contents).id is not null then sent_bytes(r.org_id, x.sent_contents)
                else decode(x.sealed_contents, 'base64') end,
           x.key_id, decode(x.fingerprint, 'hex'), t
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
           case when (r.sent_outputs).id is not null then sent_bytes(r.org_id, r.sent_outputs)
                when r.outputs_key_id is not null then decode(r.outputs #>> '{}', 'base64') end,
           r.outputs_key_id,
           decode(r.outputs_fingerprint, 'hex'), t
      from unnest(reports) r where r.outputs is not null
        on conflict do nothing;
    get diagnostics stored = row_count;
    if stored < outputs then
      insert into runner_job_execution_evidence (execution_id, org_id, kind, body, sealed, key_id, reason, created_at)
      select r.execution_id, r.org_id, 'outputs', r.outputs::jsonb,
             case when (r.sent_outputs).id is not null then sent_bytes(r.org_id, r.sent_outputs) end,
             r.outputs_key_id,
             'other outputs were stored before', t
        from unnest(reports) r
        join runner_job_execution_outputs s on s.execution_id = r.execution_id
       where r.outputs is not null
         and (s.outputs::jsonb, s.fingerprint) is distinct from
             (case when r.outputs_key_id is null then r.outputs::jsonb end, decode(r.outputs_fingerprint, 'hex'));
    end if;
  end if;
end $$;
