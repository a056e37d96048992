-- What runners say of the steps of an action's run while its job runs; the plan itself stays as it was stored.

create table action_run_steps (
  runner_job_id       svc_id not null,
  step_id             text not null, -- the plan's run_id of the step
  org_id              svc_id not null,
  status              text not null check (status in ('finished', 'pending', 'in-progress', 'timed-out', 'error')),
  execution_duration  bigint not null default 0 check (execution_duration >= 0),
  updated_at          timestamptz not null default svc_now(),
  primary key (runner_job_id, step_id),
  foreign key (org_id, runner_job_id) references runner_jobs (org_id, id) on delete cascade
);
