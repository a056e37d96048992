-- The audit log: who did what to which object. A row of audit_events is written once and never changed; partitions of months are
-- dropped when their time is over (functions/audit.sql).

-- Acts that were asked for and have not ended. Written before the act, deleted by the statement that writes its end; what is left
-- of a broker that stopped becomes an event with the outcome 'unknown'.
create table audit_asked (
  id        svc_id primary key,
  org_id    svc_id not null,
  asked_at  timestamptz not null,
  entry     jsonb not null -- as write_audit takes it
);
create index audit_asked_age on audit_asked (asked_at);

create table audit_events (
  id           svc_id not null,
  org_id       svc_id not null,
  at           timestamptz not null, -- when it was written: the order of lists and exports
  started_at   timestamptz not null, -- when the request came, or the first of those counted here
  action       text not null, -- the operation of the route; 'several' counts refusals that were left out
  permission   text not null default '',
  outcome      text not null check (outcome in ('allowed', 'refused', 'failed', 'unknown')),
  status       integer, -- of the answer
  code         text not null default '', -- of the refusal or failure
  count        bigint not null default 1 check (count > 0),
  actor_id     text not null,
  actor_name   text not null default '', -- as it was then
  account_id   text not null default '',
  token_id     text not null default '',
  token_hint   text not null default '',
  target_type  text not null default '',
  target_id    text not null default '',
  parent_id    text not null default '', -- the runner, queue or workspace that the target belongs to
  ip           text not null default '',
  user_agent   text not null default '' check (length(user_agent) <= 200),
  request_id   text not null default '',
  reason       text not null default '' check (length(reason) <= 500),
  changes      jsonb check (length(changes::text) <= 4000), -- what a change asked for, without secrets
  primary key (org_id, at, id)
) partition by range (at);
create index audit_events_by_target on audit_events (org_id, target_id, at, id) where target_id <> '';
create index audit_events_by_parent on audit_events (org_id, parent_id, at, id) where parent_id <> '';
create index audit_events_by_actor on audit_events (org_id, actor_id, at, id);
create index audit_events_by_token on audit_events (org_id, token_id, at, id) where token_id <> '';

create trigger audit_events_stay before update or delete on audit_events
  for each row execute function keep_audit_event();
create trigger audit_events_stay_all before truncate on audit_events
  for each statement execute function keep_audit_event();
