-- Traces and metrics of runners: what a job's page shows of them. A collector gets everything; here is a bounded part.

-- What is kept of one job ('' for the runner itself). Its row is locked by who adds to it, so that the bounds hold.
create table runner_telemetry (
  org_id          svc_id not null,
  runner_id       svc_id not null,
  runner_job_id   text collate "C" not null default '',
  spans           integer not null default 0, -- this and series: written no more, counted where the rows are
  spans_dropped   bigint not null default 0,
  series          integer not null default 0,
  series_dropped  bigint not null default 0,
  updated_at      timestamptz not null,
  primary key (org_id, runner_id, runner_job_id)
);

create table runner_job_spans (
  org_id          svc_id not null,
  runner_job_id   svc_id not null,
  trace_id        text collate "C" not null,
  span_id         text collate "C" not null,
  parent_span_id  text collate "C" not null,
  name            text not null,
  started_at      timestamptz not null,
  duration_ns     bigint not null,
  detail          jsonb not null,
  created_at      timestamptz not null,
  primary key (org_id, runner_job_id, trace_id, span_id)
);

-- The latest point of a series.
create table runner_metric_points (
  org_id         svc_id not null,
  runner_id      svc_id not null,
  runner_job_id  text collate "C" not null,
  series         text collate "C" not null,
  name           text not null,
  kind           text not null check (kind in ('gauge', 'sum', 'histogram', 'exponential_histogram', 'summary')),
  unit           text not null,
  description    text not null,
  attributes     jsonb not null,
  value          jsonb not null,
  at             timestamptz not null,
  updated_at     timestamptz not null,
  primary key (org_id, runner_id, runner_job_id, series)
) with (fillfactor = 60);
