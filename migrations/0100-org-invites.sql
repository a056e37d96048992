-- Invitations: an org asks an account of another org to join it, with these roles.

create table org_invites (
  id              svc_id primary key,
  org_id          svc_id not null references orgs (id) on delete cascade,
  account_id      svc_id not null references accounts (id) on delete cascade,
  role_ids        text[] not null check (cardinality(role_ids) > 0),
  created_at      timestamptz not null default svc_now(),
  created_by_id   text not null default '',
  expires_at      timestamptz not null,
  accepted_at     timestamptz,
  revoked_at      timestamptz,
  revoked_by_id   text not null default '',
  check (accepted_at is null or revoked_at is null)
);
create index org_invites_by_org on org_invites (org_id, id);
create index org_invites_by_account on org_invites (account_id, id);
-- An account is asked once at a time; one that expired is asked again by the same row.
create unique index org_invites_open on org_invites (org_id, account_id) where accepted_at is null and revoked_at is null;
