-- What a registry does not delete at all is of all orgs; what a login may not delete is of its org alone.

delete from registry_refusals where reason = 'refused';
alter table registry_refusals drop column reason;

create table registry_login_refusals (
  org_id     svc_id not null references orgs (id),
  server     text not null,
  detail     text not null,
  refused_at timestamptz not null,
  primary key (org_id, server)
);

create index artifact_deletions_acted on artifact_deletions (app_id, acted_at);
create index artifact_deletions_begun on artifact_deletions (app_id) where begun_at is not null;
drop index artifact_deletions_by_app;
