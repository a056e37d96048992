-- What people may see of plans that workflows made: twins in which all that depends on something sensitive is masked.

create table shown_plans (
  id           svc_id primary key, -- of the approval, or of the job
  org_id       svc_id not null,
  workflow_id  svc_id not null,
  key_id       text,
  contents     bytea not null, -- sealed
  foreign key (org_id, workflow_id) references workflows (org_id, id)
);
create index shown_plans_of on shown_plans (workflow_id);
