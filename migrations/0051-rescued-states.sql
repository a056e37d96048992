-- States that terraform could not write: they wait, sealed, until somebody makes one the current state or discards it.

alter table terraform_workspace_events drop constraint terraform_workspace_events_kind_check;
alter table terraform_workspace_events add constraint terraform_workspace_events_kind_check
  check (kind in ('locked', 'unlocked', 'force-unlocked', 'blocked', 'unblocked', 'rolled-back', 'state-deleted',
                  'deleted', 'restored', 'state-rescued', 'rescued-state-pushed', 'rescued-state-discarded'));

-- As a revision is kept, under the id that it has as one when it becomes one.
create table terraform_rescued_states (
  id                 svc_id not null,
  org_id             svc_id not null,
  workspace_id       svc_id not null,
  serial             bigint not null,
  lineage            text,
  terraform_version  text not null default '',
  size_bytes         bigint not null,
  parts              integer not null,
  key_id             text,
  sealed_key         bytea not null,
  fingerprint        bytea not null,
  runner_job_id      svc_id,
  created_at         timestamptz not null,
  created_by_id      text not null default '',
  primary key (org_id, id),
  foreign key (org_id, workspace_id) references terraform_workspaces (org_id, id)
);
create unique index terraform_rescued_states_by_id on terraform_rescued_states (id);
create index terraform_rescued_states_by_workspace on terraform_rescued_states (workspace_id, id);

-- Keeps one, and blocks the workspace while its job lives and ten minutes after. The same bytes are kept once, and not at
-- all when they are the current state. holder: its id. outcome: kept · known · current · full · not-found
create function keep_rescued_state(s terraform_rescued_states, only_part bytea, prints jsonb, most int)
  returns workspace_outcome language plpgsql as $$
declare
  w terraform_workspaces;
  known text;
begin
  select * into w from terraform_workspaces x
   where x.org_id = s.org_id and x.id = s.workspace_id and x.deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  if exists (select from terraform_workspace_states c
              where c.org_id = w.org_id and c.id = w.state_id
                and encode(c.fingerprint, 'hex') = prints ->> coalesce(c.key_id, '')) then
    return row('current', null, w.revision)::workspace_outcome;
  end if;
  select r.id into known from terraform_rescued_states r
   where r.workspace_id = w.id and encode(r.fingerprint, 'hex') = prints ->> coalesce(r.key_id, '');
  if found then return row('known', jsonb_build_object('id', known), w.revision)::workspace_outcome; end if;
  if (select count(*) from terraform_rescued_states r where r.workspace_id = w.id) >= most then
    return row('full', null, w.revision)::workspace_outcome;
  end if;
  s.created_at := svc_now();
  insert into terraform_rescued_states select s.*;
  if only_part is not null then
    insert into terraform_state_parts (object_id, n, org_id, body) values (s.id, 0, s.org_id, only_part);
  else
    delete from terraform_state_uploads where object_id = s.id;
    if not found then raise exception 'the parts of % are gone', s.id; end if;
  end if;
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, info, at)
  values (w.org_id, w.id, 'state-rescued', s.created_by_id,
          jsonb_build_object('state', s.id, 'serial', s.serial, 'runner_job_id', s.runner_job_id), s.created_at);
  if exists (select from runner_job_live l where l.id = s.runner_job_id)
     or exists (select from runner_job_ends d
                 where d.runner_job_id = s.runner_job_id and d.finished_at > s.created_at - interval '10 minutes') then
    perform block_workspaces(array[row(w.org_id, w.id, s.runner_job_id, 'state_push_failed',
                                       format('%s could not write its state: it waits among the rescued ones',
                                              s.runner_job_id))::workspace_block], s.created_at);
  end if;
  return row('kept', jsonb_build_object('id', s.id), w.revision)::workspace_outcome;
end $$;

-- Makes a rescued state the current one and lifts a block; the rules of serial and lineage hold as for every write, and a
-- lock is in the way. outcome: pushed · unchanged · no-rescued-state · not-found · held · serial-older · serial-taken ·
-- other-lineage
create function push_rescued_state(org text, workspace text, rescued text, actor text, why text) returns workspace_outcome
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  w terraform_workspaces;
  c terraform_workspace_states;
  r terraform_rescued_states;
  refused workspace_outcome;
begin
  refused := refuse_change(org, workspace, null, false, 'never');
  if refused.outcome is not null then return refused; end if;
  select * into w from terraform_workspaces where org_id = org and id = workspace;
  select * into r from terraform_rescued_states x where x.org_id = org and x.id = rescued and x.workspace_id = workspace;
  if not found then return row('no-rescued-state', null, null)::workspace_outcome; end if;
  select * into c from terraform_workspace_states x where x.org_id = w.org_id and x.id = w.state_id;
  if c.fingerprint = r.fingerprint and c.key_id is not distinct from r.key_id then
    delete from terraform_rescued_states x where x.org_id = org and x.id = rescued;
    insert into terraform_state_uploads (object_id, org_id) values (rescued, org) on conflict do nothing; -- its parts go
  elsif c.lineage <> r.lineage then
    return row('other-lineage', null, c.revision)::workspace_outcome;
  elsif r.serial < c.serial then
    return row('serial-older', jsonb_build_object('serial', c.serial), c.revision)::workspace_outcome;
  elsif r.serial = c.serial then
    return row('serial-taken', jsonb_build_object('serial', c.serial), c.revision)::workspace_outcome;
  else
    delete from terraform_rescued_states x where x.org_id = org and x.id = rescued;
    insert into terraform_workspace_states (id, org_id, workspace_id, revision, serial, lineage, terraform_version,
                                            size_bytes, parts, key_id, sealed_key, fingerprint, runner_job_id,
                                            created_at, created_by_id)
    values (r.id, r.org_id, r.workspace_id, w.revision + 1, r.serial, r.lineage, r.terraform_version, r.size_bytes,
            r.parts, r.key_id, r.sealed_key, r.fingerprint, r.runner_job_id, t, actor);
    update terraform_workspaces set revision = w.revision + 1, state_id = r.id, updated_at = t
     where org_id = org and id = workspace;
  end if;
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
  values (org, workspace, 'rescued-state-pushed', actor, why,
          jsonb_build_object('state', r.id, 'serial', r.serial, 'runner_job_id', r.runner_job_id), t);
  perform unblock_workspace(org, workspace, actor, why);
  return row('pushed', null, w.revision)::workspace_outcome;
end $$;

-- outcome: done · no-rescued-state
create function discard_rescued_state(org text, workspace text, rescued text, actor text, why text)
  returns workspace_outcome language plpgsql as $$
declare
  r terraform_rescued_states;
begin
  delete from terraform_rescued_states x where x.org_id = org and x.id = rescued and x.workspace_id = workspace
  returning * into r;
  if not found then return row('no-rescued-state', null, null)::workspace_outcome; end if;
  insert into terraform_state_uploads (object_id, org_id) values (rescued, org) on conflict do nothing; -- its parts go
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
  values (org, workspace, 'rescued-state-discarded', actor, why,
          jsonb_build_object('state', r.id, 'serial', r.serial, 'runner_job_id', r.runner_job_id), svc_now());
  return row('done', null, null)::workspace_outcome;
end $$;
