-- Helm's release records, where helm keeps them with us instead of in the cluster.

create table helm_charts (
  id             svc_id not null,
  org_id         svc_id not null references orgs (id),
  owner_id       text not null default '',
  owner_type     text not null default '',
  created_at     timestamptz not null default svc_now(),
  created_by_id  text not null default '',
  primary key (org_id, id)
);
create index helm_charts_by_owner on helm_charts (org_id, owner_id, id);

-- One record a key, as helm wrote it; what helm asks by is beside it, for the record itself is sealed.
create table helm_releases (
  id             svc_id primary key,
  org_id         svc_id not null,
  helm_chart_id  svc_id not null,
  namespace      text collate "C" not null,
  key            text collate "C" not null,
  name           text not null,
  version        integer not null,
  status         text not null,
  labels         jsonb not null, -- helm's own among them: name, owner, status, version
  key_id         text,           -- the key that sealed the contents; null: plain
  contents       bytea not null,
  size_bytes     integer not null,
  created_at     timestamptz not null default svc_now(),
  updated_at     timestamptz not null default svc_now(),
  created_by_id  text not null default '',
  unique (helm_chart_id, namespace, key),
  foreign key (org_id, helm_chart_id) references helm_charts (org_id, id)
);
alter table helm_releases alter column contents set storage external;
