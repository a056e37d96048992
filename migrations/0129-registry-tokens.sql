-- Logins to registries whose tokens brokers sign, and the keys that sign them.

create table registry_signing_keys (
  period     int primary key, -- of 90 days in which it signs
  kid        text not null unique,
  public_key jsonb not null,
  key_id     text, -- that seals the private key
  contents   bytea not null,
  created_at timestamptz not null default svc_now()
);

-- A job's is good until the job has ended, an install's until it expires.
create table registry_logins (
  id            svc_id primary key, -- the user name
  org_id        svc_id not null,
  runner_job_id svc_id,
  install_id    svc_id,
  digest        bytea not null check (length(digest) = 32), -- of the password
  access        jsonb not null check (jsonb_typeof(access) = 'array'), -- what it opens: {repository, actions}
  created_at    timestamptz not null default svc_now(),
  expires_at    timestamptz,
  check (num_nonnulls(runner_job_id, install_id) = 1),
  check (install_id is null or expires_at is not null),
  foreign key (org_id, runner_job_id) references runner_jobs (org_id, id) on delete cascade,
  foreign key (org_id, install_id) references installs (org_id, id) on delete cascade
);
create index registry_logins_of_jobs on registry_logins (org_id, runner_job_id) where runner_job_id is not null;
create index registry_logins_of_installs on registry_logins (org_id, install_id) where install_id is not null;
