-- Workflows that a step of another one began. One in the lane of an ancestor has that one's place, and needs none of its own.

alter table workflows
  add column parent_id svc_id,
  add column parent_step_id svc_id,
  add column child_key text, -- which of its step's children it is; one that is begun again has the same
  add column depth integer not null default 0 check (depth between 0 and 3),
  add column shares_place boolean not null default false, -- signal_id is the place of an ancestor
  add constraint workflows_parent check ((parent_id is null) = (depth = 0) and (parent_id is null) = (parent_step_id is null)
                                         and (parent_id is null) = (child_key is null) and (depth > 0 or not shares_place));
create index workflows_children on workflows (parent_id) where parent_id is not null;
create unique index workflows_child on workflows (parent_step_id, child_key) where parent_step_id is not null;

-- A place is of one workflow, and of its children in the same lane.
drop index workflows_signal;
create unique index workflows_signal on workflows (signal_id, (case when shares_place then id::text else '' end));
