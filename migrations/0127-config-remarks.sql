-- What a config was warned of when it was checked, and on what of it nothing acts; and what the client that synced it keeps with it.
alter table app_configs
  add column remarks json,
  add column client_state text not null default '';
