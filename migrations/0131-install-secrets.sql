-- Where secrets of installs are: in the stores of their customers. Their values are never here.

create table install_secrets (
  id                         svc_id primary key,
  org_id                     svc_id not null,
  install_id                 svc_id not null,
  name                       text not null check (name ~ '^[a-z][a-z0-9_-]{0,62}$'),
  arn                        text not null default '',
  gcp_secret_name            text not null default '',
  azure_key_vault_secret_id  text not null default '',
  created_at                 timestamptz not null,
  updated_at                 timestamptz not null,
  created_by_id              text not null default '',
  check (num_nulls(nullif(arn, ''), nullif(gcp_secret_name, ''), nullif(azure_key_vault_secret_id, '')) = 2),
  foreign key (org_id, install_id) references installs (org_id, id) on delete cascade
);
-- In names `-` and `_` are equal.
create unique index install_secrets_name on install_secrets (org_id, install_id, replace(name, '-', '_'));
