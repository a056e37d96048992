-- Rollups: what charts and the overview read instead of jobs, queues and runners. Each is kept by the minute, by five minutes, by
-- the hour and by the day (width_s, in seconds), because a chart reads no more than 500 points of one width. `at` is where it begins.

-- Moves of jobs. They are folded in by tally_job_ends, with the mark that says up to which transaction moves were counted.
create table job_rollups (
  org_id          svc_id not null,
  width_s         integer not null,
  at              timestamptz not null,
  runner_group_id text collate "C" not null, -- 'other': all but the first ten of the org
  job_group       text collate "C" not null,
  type            text collate "C" not null,
  enqueued        integer not null,
  finished        integer not null,
  failed          integer not null,
  timed_out       integer not null,
  not_attempted   integer not null,
  cancelled       integer not null,
  queue_times     jsonb not null, -- jobs by duration_bucket: from the enqueue to the first claim, in the minute of the claim
  queue_max       double precision not null, -- seconds
  run_times       jsonb not null, -- from the first claim to the end, in the minute of the end
  run_max         double precision not null,
  primary key (org_id, width_s, at, runner_group_id, job_group, type)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index job_rollups_age on job_rollups (width_s, at);

-- Runners' queues, sampled once a minute: sums over the minutes of rollup_coverage, so that sum / minutes is the mean.
create table queue_rollups (
  org_id          svc_id not null,
  width_s         integer not null,
  at              timestamptz not null,
  runner_group_id text collate "C" not null,
  job_group       text collate "C" not null,
  waiting_sum     bigint not null, -- jobs that no process has claimed
  waiting_max     bigint not null,
  in_progress_sum bigint not null,
  in_use_sum      bigint not null, -- slots
  capacity_sum    bigint not null,
  oldest_max      double precision not null, -- age of the oldest waiting job, in seconds
  primary key (org_id, width_s, at, runner_group_id, job_group)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index queue_rollups_age on queue_rollups (width_s, at);

-- Runners and queues of signals of an org, sampled once a minute.
create table org_rollups (
  org_id                svc_id not null,
  width_s               integer not null,
  at                    timestamptz not null,
  runners_online_sum    bigint not null,
  runners_busy_sum      bigint not null,
  runners_offline_sum   bigint not null,
  signals_waiting_sum   bigint not null,
  signals_waiting_max   bigint not null,
  signals_in_flight_sum bigint not null,
  primary key (org_id, width_s, at)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index org_rollups_age on org_rollups (width_s, at);

-- How many minutes of each span were sampled: where there is no row, no broker ran. The row of a minute is inserted by who samples it.
create table rollup_coverage (
  width_s integer not null,
  at      timestamptz not null,
  minutes integer not null,
  primary key (width_s, at)
);

-- The latest sample of each org; written only when it changed.
create table org_stats (
  org_id            svc_id primary key references orgs (id) on delete cascade,
  queued            bigint not null,
  in_progress       bigint not null,
  oldest_waiting_at timestamptz,
  in_use            bigint not null,
  capacity          bigint not null,
  runners_online    bigint not null,
  runners_busy      bigint not null,
  runners_offline   bigint not null,
  runners_other     bigint not null,
  signals_waiting   bigint not null,
  signals_in_flight bigint not null,
  problems          jsonb not null
) with (fillfactor = 50);

-- When the latest sample was taken. Whoever sets it takes the next one.
create table stats_mark (
  singleton  boolean primary key default true check (singleton),
  sampled_at timestamptz not null default 'epoch'
);
insert into stats_mark default values;

create index if not exists terraform_workspaces_blocked on terraform_workspaces (org_id)
  where blocked_at is not null and deleted_at is null;

create type rollup_labels as (
  org_id          text,
  day             timestamptz,
  runner_group_id text,
  job_group       text,
  type            text
);
