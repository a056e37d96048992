-- What changes installs beside their workflows. Lock order: that of installs.sql.

-- Changes what `changes` names; what stays the same keeps its version. outcome: changed · not-found · stale (the version is another) ·
-- taken (the name)
create or replace function change_install(org text, install text, expected bigint, changes jsonb) returns text
  language plpgsql as $$
declare
  found_version bigint;
begin
  select i.version into found_version from installs i
   where i.org_id = org and i.id = install and i.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  elsif expected is not null and found_version <> expected then
    return 'stale';
  end if;
  update installs i
     set name = coalesce(changes ->> 'name', i.name), metadata = coalesce(changes -> 'metadata', i.metadata),
         label_templates = coalesce(changes -> 'label_templates', i.label_templates), labels = coalesce(changes -> 'labels', i.labels),
         version = i.version + 1, updated_at = svc_now()
   where i.org_id = org and i.id = install
     and (i.name, i.metadata, i.label_templates, i.labels) is distinct from
         (coalesce(changes ->> 'name', i.name), coalesce(changes -> 'metadata', i.metadata),
          coalesce(changes -> 'label_templates', i.label_templates), coalesce(changes -> 'labels', i.labels));
  if changes ? 'install_config' then
    perform patch_install_config(org, install, changes -> 'install_config', svc_now());
  end if;
  return 'changed';
exception when unique_violation then
  return 'taken';
end $$;

-- Sets and removes labels. outcome: changed · not-found · locked (keys: those that the app or a template gives) · too-many
create or replace function change_install_labels(org text, install text, given jsonb, removed text[])
  returns table (outcome text, keys text[])
  language plpgsql as $$
declare
  i installs;
  locked text[];
  after jsonb;
begin
  select * into i from installs x where x.org_id = org and x.id = install and x.deleted_at is null for no key update;
  if not found then
    return query select 'not-found', '{}'::text[];
    return;
  end if;
  locked := array(select k from (select jsonb_object_keys(given) union select unnest(removed)) a (k)
                   where i.app_default_labels ? k or i.label_templates ? k order by k);
  after := (i.labels || given) - removed;
  if cardinality(locked) > 0 then
    return query select 'locked', locked;
    return;
  elsif (select count(*) from jsonb_object_keys(after || i.label_templates)) > 64 then
    return query select 'too-many', '{}'::text[];
    return;
  end if;
  update installs x set labels = after, version = x.version + 1, updated_at = svc_now()
   where x.org_id = org and x.id = install and x.labels <> after;
  return query select 'changed', '{}'::text[];
end $$;

-- Deletes an install's records. outcome: forgotten · not-found · open (a workflow of it is)
create or replace function forget_install(org text, install text) returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  perform 1 from installs i where i.org_id = org and i.id = install and i.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  elsif exists (select from workflows w where w.owner_id = install and w.status not in ('success', 'error', 'cancelled')) then
    return 'open';
  end if;
  update installs i set deleted_at = t, updated_at = t, version = i.version + 1 where i.org_id = org and i.id = install;
  perform forget_lanes(org, install, t);
  return 'forgotten';
end $$;
