-- Roles and tokens may be granted to see the data of signals.

alter table roles
  drop constraint roles_grants_check,
  add constraint roles_grants_check check (grants <@ array['plans.read', 'plans.secrets', 'signals.data']);
alter table tokens
  drop constraint tokens_grants_check,
  add constraint tokens_grants_check check (grants <@ array['plans.read', 'plans.secrets', 'signals.data']);
