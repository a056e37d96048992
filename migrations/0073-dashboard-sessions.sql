-- Who is signed in to the dashboard. A session acts for a token: with what that may do now, and no longer than that is valid.
-- A link signs a person in once: whoever opens it gets a session of the same token.
create table dashboard_sessions (
  id svc_id primary key,
  org_id svc_id not null, -- the token's
  token_id svc_id not null,
  purpose text not null check (purpose in ('link', 'session')),
  digest bytea not null unique check (length(digest) = 32),
  shown_org_id svc_id not null references orgs (id), -- the org that it looks at: one that the token reaches
  user_agent_digest bytea check (length(user_agent_digest) = 32), -- of the browser that signed in
  user_agent text not null default '' check (length(user_agent) <= 200),
  address text not null default '' check (length(address) <= 64),
  created_at timestamptz not null default svc_now(),
  expires_at timestamptz not null,
  foreign key (org_id, token_id) references tokens (org_id, id) on delete cascade,
  check ((purpose = 'session') = (user_agent_digest is not null))
);
create index dashboard_sessions_by_token on dashboard_sessions (token_id, created_at);
create index dashboard_sessions_due on dashboard_sessions (expires_at);

create trigger dashboard_sessions_deleted after delete on dashboard_sessions
  for each row execute function tokens_changed();
create trigger dashboard_sessions_moved after update of shown_org_id on dashboard_sessions
  for each row execute function tokens_changed();
