-- Whom the sign-in provider knows: by its own name for the person, never by an email address. The account is the one whose
-- subject was the provider's name when the person first signed in; another provider that uses the same name is somebody else.
create table sign_in_identities (
  issuer text not null check (length(issuer) between 1 and 2000),
  subject text not null check (length(subject) between 1 and 200),
  account_id svc_id not null unique references accounts (id) on delete cascade,
  created_at timestamptz not null default svc_now(),
  last_used_at timestamptz not null default svc_now(),
  primary key (issuer, subject)
);
