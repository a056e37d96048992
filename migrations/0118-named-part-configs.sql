-- Which config of an app has or had which component and runbook; labels of components and runbooks; when what has a name was changed.

alter table components add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'); -- all of them
alter table components add column config_labels jsonb not null default '{}' check (jsonb_typeof(config_labels) = 'object'); -- locked: the active config's
alter table components add column updated_at timestamptz; -- null: not since it was made
alter table runbooks add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object');
alter table runbooks add column config_labels jsonb not null default '{}' check (jsonb_typeof(config_labels) = 'object');
alter table runbooks add column updated_at timestamptz;
alter table actions add column updated_at timestamptz;

create table component_configs (
  id             svc_id not null,
  org_id         svc_id not null,
  component_id   svc_id not null,
  app_config_id  svc_id not null,
  name           text not null, -- that it has there
  type           text not null, -- as its file says it
  created_at     timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, component_id) references components (org_id, id),
  foreign key (org_id, app_config_id) references app_configs (org_id, id)
);
create unique index component_configs_of on component_configs (app_config_id, component_id);
create index component_configs_by_component on component_configs (component_id, id);

create table runbook_configs (
  id             svc_id not null,
  org_id         svc_id not null,
  runbook_id     svc_id not null,
  app_config_id  svc_id not null,
  name           text not null,
  created_at     timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, runbook_id) references runbooks (org_id, id),
  foreign key (org_id, app_config_id) references app_configs (org_id, id)
);
create unique index runbook_configs_of on runbook_configs (app_config_id, runbook_id);
create index runbook_configs_by_runbook on runbook_configs (runbook_id, id);
create index if not exists action_configs_by_action on action_configs (action_id, id);

-- Of configs that were in force: ids as brokers make them, by when the config was made.
with had as materialized (
  select c.org_id, c.app_id, c.id, c.created_at, c.document::json as document
    from app_configs c
   where c.document <> '' and (c.status = 'active' or c.status_description = 'a newer config is active')
), parts as materialized (
  select h.org_id, h.app_id, h.id as app_config_id, h.created_at, k.kind, e.one ->> 'name' as name, e.one ->> 'type' as type
    from had h cross join (values ('components'), ('runbooks')) k (kind)
   cross join lateral json_array_elements(h.document -> k.kind) e (one)
), numbered as materialized (
  select p.*, (select string_agg(substr(d.digits, (((extract(epoch from p.created_at) * 1000)::bigint >> (5 * (9 - n))) & 31)::int + 1, 1), '' order by n)
                 from generate_series(0, 9) n)
              || (select string_agg(substr(d.digits, (get_byte(d.chance, n) & 31) + 1, 1), '') from generate_series(0, 15) n) as digits
    from parts p cross join lateral (select '0123456789abcdefghjkmnpqrstvwxyz' as digits,
                                            uuid_send(case when p.name is not null then gen_random_uuid() end) as chance) d
), of_components as (
  insert into component_configs (id, org_id, component_id, app_config_id, name, type, created_at)
  select 'ccc_' || p.digits, p.org_id, x.id, p.app_config_id, p.name, p.type, p.created_at
    from numbered p
    join components x on x.app_id = p.app_id and x.deleted_at is null and replace(x.name, '-', '_') = replace(p.name, '-', '_')
   where p.kind = 'components'
)
insert into runbook_configs (id, org_id, runbook_id, app_config_id, name, created_at)
select 'rbc_' || p.digits, p.org_id, x.id, p.app_config_id, p.name, p.created_at
  from numbered p
  join runbooks x on x.app_id = p.app_id and x.deleted_at is null and replace(x.name, '-', '_') = replace(p.name, '-', '_')
 where p.kind = 'runbooks';

-- The labels that active configs give.
with active as materialized (
  select c.org_id, c.app_id, c.document::json as document
    from apps a join app_configs c on c.org_id = a.org_id and c.id = a.active_config_id
   where a.deleted_at is null and c.document <> ''
), given as materialized (
  select a.org_id, a.app_id, k.kind, replace(e.one ->> 'name', '-', '_') as name, (e.one -> 'labels')::jsonb as labels
    from active a cross join (values ('components'), ('runbooks')) k (kind)
   cross join lateral json_array_elements(a.document -> k.kind) e (one)
   where json_typeof(e.one -> 'labels') = 'object'
), of_components as (
  update components x set labels = g.labels, config_labels = g.labels
    from given g
   where g.kind = 'components' and x.org_id = g.org_id and x.app_id = g.app_id and x.deleted_at is null and replace(x.name, '-', '_') = g.name
)
update runbooks x set labels = g.labels, config_labels = g.labels
  from given g
 where g.kind = 'runbooks' and x.org_id = g.org_id and x.app_id = g.app_id and x.deleted_at is null and replace(x.name, '-', '_') = g.name;
