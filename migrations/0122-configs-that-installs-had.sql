-- Which config of its app an install had, and since when: a row for each change. Of before, what workflows that are still there say; else the
-- config that it has now.

create table install_app_configs (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  old_app_config_id svc_id,
  new_app_config_id svc_id not null,
  workflow_id svc_id,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint install_app_configs_pkey primary key (id)
);

with applied as (
  select w.org_id, w.owner_id as install_id, w.app_config_id, w.id as workflow_id, w.finished_at as at, w.created_by_id,
         lag(w.app_config_id) over (partition by w.org_id, w.owner_id order by w.finished_at, w.id) as before
    from workflows w
   where w.owner_type = 'installs' and w.status = 'success' and w.app_config_id is not null and not w.plan_only
     and w.type in ('provision', 'reprovision', 'app_branch_config_update')
),
latest as (
  select distinct on (a.org_id, a.install_id) a.org_id, a.install_id, a.app_config_id, a.at
    from applied a order by a.org_id, a.install_id, a.at desc, a.workflow_id desc
),
changes as (
  select a.* from applied a join installs i on i.org_id = a.org_id and i.id = a.install_id where a.before is distinct from a.app_config_id
  union all
  select i.org_id, i.id, i.applied_config_id, null, greatest(i.phase_at, l.at + interval '1 ms'), '', l.app_config_id
    from installs i
    left join latest l on l.org_id = i.org_id and l.install_id = i.id
   where i.applied_config_id is not null and l.app_config_id is distinct from i.applied_config_id
)
insert into install_app_configs (id, org_id, install_id, old_app_config_id, new_app_config_id, workflow_id, created_at, created_by_id)
select made_id_at('iac', c.at), c.org_id, c.install_id, c.before, c.app_config_id, c.workflow_id, c.at, c.created_by_id
  from changes c;

create index install_app_configs_by_install on install_app_configs (install_id, id);

-- Last: it keeps others from writing installs until all of this is done.
alter table install_app_configs
  add constraint install_app_configs_org_id_install_id_fkey foreign key (org_id, install_id) references installs (org_id, id);
