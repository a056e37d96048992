-- Of configs that are or were in force: their components and runbooks, with ids by when the config was made, and the labels that the active
-- ones give. Reads all documents before it locks anything; apps_note_config notes configs that come in force meanwhile.

create unlogged table parts_in_force as
select c.org_id, c.app_id, c.id as app_config_id, c.created_at, k.kind, e.one ->> 'name' as name, coalesce(e.one ->> 'type', '') as type,
       case when json_typeof(e.one -> 'labels') = 'object' then (e.one -> 'labels')::jsonb else '{}' end as labels
  from app_configs c
 cross join lateral json_to_record(c.document::json) d(components json, runbooks json)
 cross join lateral (values ('components', d.components), ('runbooks', d.runbooks)) k (kind, list)
 cross join lateral json_array_elements(k.list) e (one)
 where c.document <> '' and (c.status = 'active' or c.status_description = 'a newer config is active');
analyze parts_in_force;

insert into component_configs (id, org_id, component_id, app_config_id, name, type, created_at)
select made_id_at('ccc', p.created_at), p.org_id, x.id, p.app_config_id, p.name, p.type, p.created_at
  from parts_in_force p
  join components x on x.app_id = p.app_id and x.deleted_at is null and replace(x.name, '-', '_') = replace(p.name, '-', '_')
 where p.kind = 'components'
    on conflict do nothing;

insert into runbook_configs (id, org_id, runbook_id, app_config_id, name, created_at)
select made_id_at('rbc', p.created_at), p.org_id, x.id, p.app_config_id, p.name, p.created_at
  from parts_in_force p
  join runbooks x on x.app_id = p.app_id and x.deleted_at is null and replace(x.name, '-', '_') = replace(p.name, '-', '_')
 where p.kind = 'runbooks'
    on conflict do nothing;

-- No config comes in force from here on to the end, which is near.
do $$ begin
  perform 1 from apps a
    where a.active_config_id in (select p.app_config_id from parts_in_force p where p.labels <> '{}') order by a.id for no key update;
end $$;

update components x
   set config_labels = p.labels, labels = (x.labels - array(select jsonb_object_keys(x.config_labels))) || p.labels
  from parts_in_force p join apps a on a.org_id = p.org_id and a.active_config_id = p.app_config_id
 where p.kind = 'components' and x.org_id = p.org_id and x.app_id = p.app_id and x.deleted_at is null
   and replace(x.name, '-', '_') = replace(p.name, '-', '_') and x.config_labels <> p.labels;

update runbooks x
   set config_labels = p.labels, labels = (x.labels - array(select jsonb_object_keys(x.config_labels))) || p.labels
  from parts_in_force p join apps a on a.org_id = p.org_id and a.active_config_id = p.app_config_id
 where p.kind = 'runbooks' and x.org_id = p.org_id and x.app_id = p.app_id and x.deleted_at is null
   and replace(x.name, '-', '_') = replace(p.name, '-', '_') and x.config_labels <> p.labels;

drop table parts_in_force;
