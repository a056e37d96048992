-- A token may be bound to one app or install: its rights then hold there and nowhere else (broker/tokens/bound/).

alter table tokens
  add column bound_type text check (bound_type in ('apps', 'installs')),
  add column bound_id svc_id,
  add constraint tokens_bound check ((bound_type is null) = (bound_id is null)),
  add constraint tokens_bound_reach check (bound_type is null or (reach = 'org' and runner_id is null));
