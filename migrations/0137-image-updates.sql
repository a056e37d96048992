-- What is known of images that a config in force has components follow: of each the last look for a newer one.

create table image_updates (
  component_id  svc_id not null,
  org_id        svc_id not null,
  app_id        svc_id not null,
  policy        text not null,
  checksum      text not null, -- of what the config says of the component: what is found by another does not count
  runner_job_id svc_id, -- the look that is under way
  status        text not null default 'pending' check (status in ('pending', 'current', 'new', 'tried', 'failed')),
  detail        text not null default '',
  tag           text not null default '',
  digest        text not null default '',
  build_id      svc_id, -- of what was found
  looked_at     timestamptz,
  primary key (org_id, component_id),
  foreign key (org_id, component_id) references components (org_id, id)
);
create index image_updates_by_app on image_updates (app_id);
create index image_updates_looking on image_updates (runner_job_id) where runner_job_id is not null;

alter table component_builds add column looked_digest text; -- of the image in whose favour a look began it
create index component_builds_looked on component_builds (component_id, looked_digest) where looked_digest is not null;

-- Configs that are in force already get their emitters.
select graphile_worker.add_job('keep-image-emitter', json_build_object('org_id', a.org_id, 'app_id', a.id),
                               job_key := 'images:' || a.id, max_attempts := 10)
  from apps a join app_configs c on c.org_id = a.org_id and c.id = a.active_config_id
 where a.deleted_at is null and strpos(c.document, '"update_policy"') > 0;
