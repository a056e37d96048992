-- A role of an org that has policies permits only what they name of its role_type. A token may have such a role.

alter table tokens add column role_id svc_id references roles (id);
create index tokens_by_role on tokens (role_id) where role_id is not null;
