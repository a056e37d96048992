-- Small records of accounts: lists of steps that a dashboard leads a person through, and names of orgs for which somebody waits.

create table account_records (
  id svc_id not null,
  account_id svc_id not null,
  kind text not null,
  name text not null,
  contents jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint account_records_pkey primary key (id),
  constraint account_records_name unique (account_id, kind, name),
  constraint account_records_account_id_fkey foreign key (account_id) references accounts (id) on delete cascade,
  constraint account_records_kind_check check (kind in ('journey', 'waitlist')),
  constraint account_records_contents_check check (jsonb_typeof(contents) = 'object')
);
