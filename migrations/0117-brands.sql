-- Other names of svc with which a config was read: it keeps them. The index finds those few when a broker starts.

alter table app_configs add column brands text[] not null default '{}';
create index app_configs_brands on app_configs (app_id) where brands <> '{}';
