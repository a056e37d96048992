-- Invitations to an address: whoever has an account and the invitation's secret accepts it, and is its account from then on.
alter table org_invites
  alter column account_id drop not null,
  add column email text not null default '',
  add column secret_digest bytea,
  add column resent_at timestamptz,
  add column resent_by_id text not null default '',
  add check (account_id is not null or email <> '');
-- An address is invited once at a time; an invitation that expired makes way.
create unique index org_invites_open_email on org_invites (org_id, lower(email))
  where email <> '' and accepted_at is null and revoked_at is null;

-- What clients say of an org, for themselves.
alter table orgs
  add column sandbox_mode boolean not null default false,
  add column tags text[] not null default '{}';
