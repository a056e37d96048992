create table runner_job_executions (
  id                  svc_id not null,
  org_id              svc_id not null,
  runner_job_id       svc_id not null,
  runner_id           svc_id not null,
  process_id          svc_id,
  holders             text[],
  is_ours             boolean not null,
  status              text not null default 'pending'
                      check (status in ('pending', 'initializing', 'in-progress', 'cleaning-up', 'finished',
                                        'failed', 'timed-out', 'not-attempted', 'cancelled')),
  status_description  text not null default '',
  ended_by            text check (ended_by in ('client', 'broker')),
  history             jsonb not null default '[]',
  poll_id             text,
  token_digest        bytea,
  created_at          timestamptz not null,
  deadline_at         timestamptz not null,
  confirmed_at        timestamptz,
  finished_at         timestamptz,
  last_record         bigint,
  primary key (org_id, id),
  foreign key (org_id, runner_job_id) references runner_jobs (org_id, id) on delete cascade,
  check ((status in ('finished', 'failed', 'timed-out', 'not-attempted', 'cancelled')) = (finished_at is not null)),
  check ((finished_at is null) = (ended_by is null))
) with (fillfactor = 60);
create index runner_job_executions_by_job on runner_job_executions (runner_job_id);

-- The first result is the result; whatever comes after it is evidence.
create table runner_job_execution_results (
  execution_id           svc_id primary key,
  org_id                 svc_id not null,
  id                     svc_id not null,
  success                boolean not null,
  error_code             integer not null default 0,
  error_metadata         jsonb not null default '{}',
  composite_error        jsonb,
  contents               text,
  contents_display       text,
  contents_gzip          bytea,
  contents_display_gzip  bytea,
  created_at             timestamptz not null,
  -- A sealed result has its contents in one column, and a fingerprint of them by which a repetition is known.
  sealed_contents        bytea,
  key_id                 text,
  fingerprint            bytea,
  check ((sealed_contents is null) = (key_id is null) and (key_id is null) = (fingerprint is null))
);
alter table runner_job_execution_results alter column sealed_contents set storage external;

create table runner_job_execution_outputs (
  execution_id  svc_id primary key,
  org_id        svc_id not null,
  id            svc_id not null,
  outputs         json,
  created_at      timestamptz not null,
  sealed_outputs  bytea, -- instead of outputs
  key_id          text,
  fingerprint     bytea
);
alter table runner_job_execution_outputs alter column sealed_outputs set storage external;
-- Not valid, here as in databases of before, which were not read through for it.
alter table runner_job_execution_outputs add check (
  (outputs is null) = (key_id is not null) and (sealed_outputs is null) = (key_id is null)
  and (fingerprint is null) = (key_id is null)) not valid;

create table runner_job_execution_evidence (
  id            bigint generated always as identity primary key,
  execution_id  svc_id not null,
  org_id        svc_id not null,
  kind          text not null check (kind in ('status', 'result', 'outputs')),
  body          jsonb not null,
  reason        text not null,
  created_at    timestamptz not null,
  key_id        text,  -- the key that sealed the body, which is base64, of a result its contents only
  sealed        bytea, -- what is large, beside its body, so that it is read in pieces
  foreign key (org_id, execution_id) references runner_job_executions (org_id, id) on delete cascade
);
alter table runner_job_execution_evidence alter column sealed set storage external;
create index runner_job_execution_evidence_by_execution on runner_job_execution_evidence (execution_id);

create trigger bound_evidence before insert on runner_job_execution_evidence
  for each row execute function bound_evidence();

-- An execution that the broker ended and that may still run over there: it holds its slot.
create table stopping_executions (
  execution_id  svc_id primary key,
  org_id        svc_id not null,
  runner_id     svc_id not null,
  job_group     text collate "C" not null,
  runner_job_id svc_id not null,
  process_id    svc_id,
  holders       text[],
  is_ours       boolean not null,
  reason        text not null check (reason in ('cancelled', 'timed-out', 'forced', 'lost')),
  holds_slot    boolean not null default true,
  started_at    timestamptz not null,
  slot_until    timestamptz not null,
  gone_by       timestamptz not null, -- a retry may start after this, or after its process confirmed
  deadline_at   timestamptz not null,
  foreign key (runner_id, job_group) references runner_queues (runner_id, job_group),
  check (gone_by >= slot_until)
);
create index stopping_executions_due on stopping_executions (deadline_at);
create index stopping_executions_by_runner on stopping_executions (runner_id, process_id);
create index stopping_executions_by_job on stopping_executions (runner_job_id);

-- How far an execution is, in steps that its process names: rows of their own, so that nothing hot is touched.
create table runner_job_execution_progress (
  execution_id  svc_id primary key,
  org_id        svc_id not null,
  steps         integer not null default 0,
  is_full       boolean not null default false, -- there were more than are kept
  updated_at    timestamptz not null,
  foreign key (org_id, execution_id) references runner_job_executions (org_id, id) on delete cascade
);

create table runner_job_execution_steps (
  execution_id  svc_id not null references runner_job_execution_progress (execution_id) on delete cascade,
  name          text collate "C" not null,
  org_id        svc_id not null,
  n             integer not null,
  status        text not null check (status in ('pending', 'in-progress', 'finished', 'error', 'timed-out')),
  detail        text not null default '',
  started_at    timestamptz,
  ended_at      timestamptz,
  primary key (execution_id, name)
);

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
