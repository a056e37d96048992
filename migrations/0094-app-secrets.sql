-- Secrets of apps: values that configs refer to by name, and that nobody reads back.

create table app_secrets (
  id             svc_id primary key,
  org_id         svc_id not null,
  app_id         svc_id not null,
  name           text not null check (name ~ '^[a-z][a-z0-9_-]{0,62}$'),
  key_id         text, -- the key that sealed the value; null: plain
  value          bytea not null, -- sealed as what has this name in the app
  length         integer not null, -- of the value, in characters
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  created_by_id  text not null default '',
  foreign key (org_id, app_id) references apps (org_id, id)
);
-- In names `-` and `_` are equal.
create unique index app_secrets_name on app_secrets (org_id, app_id, replace(name, '-', '_'));
