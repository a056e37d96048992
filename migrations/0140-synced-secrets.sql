-- What the last good sync of an install's secrets told of each, by its name: whether it has a value and how long that is, never the value.

create table install_secret_syncs (
  org_id         svc_id not null,
  install_id     svc_id primary key,
  runner_job_id  svc_id not null,
  secrets        jsonb not null check (jsonb_typeof(secrets) = 'object'),
  synced_at      timestamptz not null,
  foreign key (org_id, install_id) references installs (org_id, id) on delete cascade
);
