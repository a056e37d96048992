-- Who is who: orgs, accounts, roles, tokens, and the keys that make a repeated POST harmless.

-- Every id is text of the form <prefix>_<26 characters>, compared byte by byte.
create domain svc_id as text collate "C";

create table orgs (
  id             svc_id primary key,
  name           text not null check (length(name) between 1 and 200),
  version        bigint not null default 1,
  created_at     timestamptz not null default svc_now(),
  updated_at     timestamptz not null default svc_now(),
  created_by_id  text not null default ''
);

create table accounts (
  id             svc_id primary key,
  account_type   text not null check (account_type in ('auth', 'auth0', 'service', 'canary', 'integration')),
  name           text not null default '',
  email          text not null default '',
  subject        text not null default '', -- the name the issuer of its sign-ins knows it by
  created_at     timestamptz not null default svc_now(),
  updated_at     timestamptz not null default svc_now(),
  created_by_id  text not null default ''
);
create unique index accounts_subject on accounts (account_type, subject) where subject <> '';

-- A managed role belongs to the service and to no org; a custom role may belong to an org or to none.
-- What a role may do follows from its role_type (shared/permissions.ts).
create table roles (
  id             svc_id primary key,
  org_id         svc_id references orgs (id),
  role_type      text not null check (role_type in ('org_admin', 'org_support', 'org_read_only', 'org_builder',
                                                    'installer', 'runner', 'hosted-installer', 'stack',
                                                    'telemetry_collector')),
  title          text not null,
  description    text not null default '',
  applies_to     text[] not null default '{account}' check (applies_to <@ '{account,token}'::text[]),
  assignable     boolean not null default true, -- offered where a person picks a role for an account
  managed        boolean not null default false,
  created_at     timestamptz not null default svc_now(),
  updated_at     timestamptz not null default svc_now(),
  created_by_id  text not null default '',
  grants         text[] not null default '{}' -- what a custom role may do beyond its role_type
                 check (grants <@ '{plans.read,plans.secrets}'::text[]),
  check (not managed or org_id is null)
);
create unique index roles_managed on roles (role_type) where managed;
create index roles_by_org on roles (org_id) where org_id is not null;

insert into roles (id, role_type, title, description, applies_to, assignable, managed) values
  ('rol_00000000000000000000000001', 'org_admin', 'Admin', 'Everything in the org, its accounts and tokens included.', '{account,token}', true, true),
  ('rol_00000000000000000000000002', 'org_support', 'Support', 'Reads everything, and cancels, reruns, pauses and restarts.', '{account,token}', true, true),
  ('rol_00000000000000000000000003', 'org_read_only', 'Read only', 'Reads everything but tokens.', '{account,token}', true, true),
  ('rol_00000000000000000000000004', 'org_builder', 'Builder', 'Enqueues, cancels and reads jobs.', '{account,token}', true, true),
  ('rol_00000000000000000000000005', 'installer', 'Installer', 'Sets up runners and enqueues jobs for them.', '{token}', false, true),
  ('rol_00000000000000000000000006', 'runner', 'Runner', 'Speaks the runner protocol for its own runner.', '{token}', false, true),
  ('rol_00000000000000000000000007', 'hosted-installer', 'Hosted installer', 'Sets up runners and enqueues jobs for them, on our side.', '{token}', false, true),
  ('rol_00000000000000000000000008', 'stack', 'Stack', 'A cloud stack: reads its runner and mints its enrolment token.', '{token}', false, true),
  ('rol_00000000000000000000000009', 'telemetry_collector', 'Telemetry collector', 'Writes logs, traces and metrics.', '{token}', false, true);
insert into roles (id, role_type, title, description, applies_to, assignable, managed, grants) values
  ('rol_00000000000000000000000010', 'org_read_only', 'Plan reader',
   'Reads everything but tokens, and plans without their secrets.', '{account}', true, false, '{plans.read}'),
  ('rol_00000000000000000000000011', 'org_read_only', 'Secrets reader',
   'Reads everything but tokens, and plans with their secrets.', '{account}', true, false, '{plans.read,plans.secrets}');

create table account_roles (
  account_id     svc_id not null references accounts (id) on delete cascade,
  org_id         svc_id not null references orgs (id) on delete cascade,
  role_id        svc_id not null references roles (id),
  created_at     timestamptz not null default svc_now(),
  created_by_id  text not null default '',
  primary key (account_id, org_id, role_id)
);
create index account_roles_by_org on account_roles (org_id, account_id);
create index account_roles_by_role on account_roles (role_id);

create trigger account_role_fits before insert or update on account_roles
  for each row execute function account_role_fits();

create trigger account_roles_changed after insert or update or delete on account_roles
  for each row execute function account_roles_changed();

-- Only the digest of a secret is here; `hint` is what a person may be shown again.
create table tokens (
  id             svc_id primary key,
  org_id         svc_id not null references orgs (id),
  digest         bytea not null unique check (length(digest) = 32),
  hint           text not null,
  kind           text not null check (kind in ('pat', 'sa', 'rt', 'boot', 'st', 'it')),
  token_type     text not null check (token_type in ('auth', 'auth0', 'admin', 'static', 'integration',
                                                     'canary', 'svc', 'federated', 'oauth')),
  name           text not null default '',
  account_id     svc_id references accounts (id) on delete cascade,
  runner_id      svc_id, -- its foreign key comes with the runners
  role_type      text check (role_type in ('org_admin', 'org_support', 'org_read_only', 'org_builder', 'installer',
                                           'runner', 'hosted-installer', 'stack', 'telemetry_collector')),
  issuer         text not null default '',
  source_id      text not null default '',
  source_type    text not null default '',
  issued_at      timestamptz not null default svc_now(),
  expires_at     timestamptz,
  used_at        timestamptz, -- first use; a one-shot token is spent by it
  last_used_at   timestamptz, -- written at most once a minute
  revoked_at     timestamptz,
  replaced_by    svc_id,      -- the token that a rotation made; this one goes on for its overlap
  created_at     timestamptz not null default svc_now(),
  updated_at     timestamptz not null default svc_now(),
  created_by_id  text not null default '',
  -- How far it reaches: its own org, or all orgs of the account that it speaks for. Only a token that a person makes for
  -- itself speaks for its account (broker/tokens/token-rules.ts).
  reach          text not null default 'org' check (reach in ('org', 'account')),
  grants         text[] not null default '{}' -- what it may do beyond its role_type
                 check (grants <@ '{plans.read,plans.secrets}'::text[]),
  unique (org_id, id),
  foreign key (org_id, replaced_by) references tokens (org_id, id),
  check (kind <> 'pat' or account_id is not null),              -- a person's token acts with the person's roles
  check (kind = 'pat' or role_type is not null),                -- any other says itself what it may do
  check ((kind in ('rt', 'boot')) = (runner_id is not null)),   -- bound to one runner
  check (kind not in ('rt', 'boot') or role_type = 'runner'),
  check (kind <> 'boot' or expires_at is not null),
  check (reach = 'org' or kind = 'pat'),
  check (grants = '{}' or role_type is not null)
) with (fillfactor = 80); -- last_used_at is in no index: its updates stay HOT
create index tokens_by_org on tokens (org_id, created_at, id);
create index tokens_by_account on tokens (account_id) where account_id is not null;
create index tokens_by_runner on tokens (runner_id) where runner_id is not null;
create unique index tokens_replaced_by on tokens (replaced_by) where replaced_by is not null;

create trigger tokens_changed after update of revoked_at, expires_at, role_type, runner_id on tokens
  for each row when (old.revoked_at is distinct from new.revoked_at or old.expires_at is distinct from new.expires_at
                     or old.role_type is distinct from new.role_type or old.runner_id is distinct from new.runner_id)
  execute function tokens_changed();
create trigger tokens_deleted after delete on tokens for each row execute function tokens_changed();

-- The first insert of a key does the work; what it answered is replayed for a day.
create table idempotency_keys (
  org_id         svc_id not null references orgs (id) on delete cascade,
  key            text not null check (length(key) between 1 and 255),
  operation_id   text not null,
  fingerprint    bytea not null,
  status         integer, -- null while the first request is under way
  body           text,    -- null where the answer held a secret
  locked_at      timestamptz not null default svc_now(),
  expires_at     timestamptz not null default svc_now() + interval '24 hours',
  created_at     timestamptz not null default svc_now(),
  primary key (org_id, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);
