-- What components are built from where that is a folder of the config's own directory: each content once in an org, in parts that are
-- stored as those of states are, and which configs name it.

create table source_blobs (
  id          svc_id not null,
  org_id      svc_id not null,
  digest      text not null, -- of the archive, as configs name it
  size_bytes  bigint not null,
  parts       integer not null,
  key_id      text,
  sealed_key  bytea not null,
  fingerprint bytea not null,
  created_at  timestamptz not null,
  used_at     timestamptz not null, -- when a sync named it last
  primary key (org_id, id),
  foreign key (org_id) references orgs (id)
);
create unique index source_blobs_by_id on source_blobs (id);
create unique index source_blobs_by_digest on source_blobs (org_id, digest);
create index source_blobs_by_use on source_blobs (used_at);

create table app_config_sources (
  org_id        svc_id not null,
  app_config_id svc_id not null,
  component     text not null, -- its name in the config; empty: the sandbox
  source_id     svc_id not null,
  primary key (org_id, app_config_id, component),
  foreign key (org_id, app_config_id) references app_configs (org_id, id) on delete cascade,
  foreign key (org_id, source_id) references source_blobs (org_id, id)
);
create index app_config_sources_of on app_config_sources (source_id);

create index component_builds_by_job on component_builds (runner_job_id) where runner_job_id is not null;
