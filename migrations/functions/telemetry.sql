-- Traces and metrics of runners, as a job's page shows them. Limits count the stored rows, so that rows which retention deletes
-- make room again.

create or replace function instant_of_us(p_us bigint) returns timestamptz
  language sql immutable parallel safe
  return timestamptz 'epoch' + p_us * interval '1 microsecond';

-- Stores spans of the runner's own jobs, each once, at most `p_most` a job; returns how many were over the limit.
create or replace function store_job_spans(p_org text, p_runner text, p_spans json, p_most integer) returns integer
language plpgsql as $$
declare
  v_job record;
  v_room integer;
  v_new integer;
  v_kept integer;
  v_refused integer := 0;
begin
  for v_job in
    select j.id, json_agg(s.one) as spans
      from json_array_elements(p_spans) s(one)
      join runner_jobs j on j.org_id = p_org and j.id = s.one ->> 'job_id' and j.runner_id = p_runner
     group by j.id order by j.id
  loop
    insert into runner_telemetry as t (org_id, runner_id, runner_job_id, updated_at)
    values (p_org, p_runner, v_job.id, svc_now())
    on conflict (org_id, runner_id, runner_job_id) do update set updated_at = excluded.updated_at;
    select greatest(p_most - count(*), 0) into v_room
      from runner_job_spans k
     where k.org_id = p_org and k.runner_job_id = v_job.id;

    with given as (
      select distinct on (s.trace_id, s.span_id) s.*
        from json_to_recordset(v_job.spans) s(trace_id text, span_id text, parent_span_id text, name text,
                                              started_us bigint, duration_ns bigint, detail jsonb)
       where not exists (select from runner_job_spans k
                          where k.org_id = p_org and k.runner_job_id = v_job.id
                            and k.trace_id = s.trace_id and k.span_id = s.span_id)
    ), kept as (
      insert into runner_job_spans
      select p_org, v_job.id, g.trace_id, g.span_id, g.parent_span_id, g.name, instant_of_us(g.started_us),
             g.duration_ns, g.detail, svc_now()
        from (select * from given order by started_us, span_id limit v_room) g
      returning 1
    )
    select (select count(*) from given), (select count(*) from kept) into v_new, v_kept;

    v_refused := v_refused + v_new - v_kept;
    update runner_telemetry t
       set spans_dropped = t.spans_dropped + v_new - v_kept
     where t.org_id = p_org and t.runner_id = p_runner and t.runner_job_id = v_job.id;
  end loop;
  return v_refused;
end
$$;

-- Stores the latest point of each series of the runner and of its own jobs, at most `p_most` series each; returns how many
-- were over the limit.
create or replace function store_metric_points(p_org text, p_runner text, p_points json, p_most integer) returns integer
language plpgsql as $$
declare
  v_owner record;
  v_room integer;
  v_new integer;
  v_kept integer;
  v_refused integer := 0;
begin
  for v_owner in
    select coalesce(j.id, '') as id, json_agg(s.one) as points
      from json_array_elements(p_points) s(one)
      left join runner_jobs j on j.org_id = p_org and j.id = s.one ->> 'job_id' and j.runner_id = p_runner
     where j.id is not null or s.one ->> 'job_id' = ''
     group by 1 order by 1
  loop
    insert into runner_telemetry as t (org_id, runner_id, runner_job_id, updated_at)
    values (p_org, p_runner, v_owner.id, svc_now())
    on conflict (org_id, runner_id, runner_job_id) do update set updated_at = excluded.updated_at;
    select greatest(p_most - count(*), 0) into v_room
      from runner_metric_points k
     where k.org_id = p_org and k.runner_id = p_runner and k.runner_job_id = v_owner.id;

    with given as (
      select p.*, k.series is null as is_new
        from json_to_recordset(v_owner.points) p(series text, name text, kind text, unit text, description text,
                                                 attributes jsonb, value jsonb, at_us bigint)
        left join runner_metric_points k on k.org_id = p_org and k.runner_id = p_runner
                                        and k.runner_job_id = v_owner.id and k.series = p.series
    ), moved as (
      update runner_metric_points k
         set value = g.value, attributes = g.attributes, at = instant_of_us(g.at_us), updated_at = svc_now()
        from given g
       where not g.is_new and k.org_id = p_org and k.runner_id = p_runner and k.runner_job_id = v_owner.id
         and k.series = g.series and k.at <= instant_of_us(g.at_us)
    ), kept as (
      insert into runner_metric_points
      select p_org, p_runner, v_owner.id, g.series, g.name, g.kind, g.unit, g.description, g.attributes, g.value,
             instant_of_us(g.at_us), svc_now()
        from (select * from given where is_new order by name, series limit v_room) g
      returning 1
    )
    select (select count(*) from given where is_new), (select count(*) from kept) into v_new, v_kept;

    v_refused := v_refused + v_new - v_kept;
    update runner_telemetry t
       set series_dropped = t.series_dropped + v_new - v_kept
     where t.org_id = p_org and t.runner_id = p_runner and t.runner_job_id = v_owner.id;
  end loop;
  return v_refused;
end
$$;
