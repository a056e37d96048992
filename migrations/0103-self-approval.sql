-- Whether who created a workflow is kept from approving it.

alter table orgs add column prevent_self_approval boolean not null default false;
