-- What happened in an install, and how healthy its actions say it is.

alter table events add column install_id svc_id; -- the install that it is about; null: none
create index events_of_install on events (install_id, n) where install_id is not null and kind = 'workflow';

-- Of actions that are health checks, by name: what the last run of each said. {name: {status, run_id, at, detail}}
alter table installs add column health jsonb not null default '{}' check (jsonb_typeof(health) = 'object');
