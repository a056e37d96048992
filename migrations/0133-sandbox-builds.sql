-- Builds of sandboxes are rows of component_builds without a component. Of two open builds of the same the newer takes the older's place.

alter table component_builds
  alter column component_id drop not null,
  alter column component_config_id drop not null,
  add column is_by_sync boolean not null default false, -- nobody asked for it by itself: it takes no other's place
  add column is_forced boolean not null default false, -- built also where nothing has changed
  add constraint component_builds_are_of check ((component_id is null) = (component_config_id is null));
create index component_builds_open_of on component_builds (app_id, (coalesce(component_id, ''))) where status in ('planning', 'building');
create index component_builds_of_sandbox on component_builds (app_id, id) where component_id is null;
