-- Logins of orgs to registries that have users of their own.

create table registry_fixed_logins (
  id            svc_id primary key,
  org_id        svc_id not null references orgs (id),
  use           text not null check (use in ('push', 'pull')),
  username      text not null,
  key_id        text, -- that seals the password
  password      bytea not null,
  created_at    timestamptz not null default svc_now(),
  updated_at    timestamptz not null default svc_now(),
  created_by_id text not null default '',
  unique (org_id, use)
);
