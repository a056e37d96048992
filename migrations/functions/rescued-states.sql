-- States that Terraform could not write: kept, sealed, until an operator pushes or discards them. Limits bound what a runner's
-- token can store.

-- Keeps a rescued state within the limits of `most` (null or 0: no limit): "states" and "job_bytes" of its job,
-- "workspace_bytes", and "org_bytes", which concurrent calls in several workspaces may exceed by one state each. A kept state is
-- never deleted for a new one: no operator has seen it yet, and an agent keeps a state that is refused.
-- outcome: kept · known · current · not-found · full (of its job's) · full-job · full-workspace · full-org (of bytes)
create or replace function keep_rescued_within(s terraform_rescued_states, only_part bytea, prints jsonb, most jsonb)
  returns workspace_outcome language plpgsql as $$
declare
  w terraform_workspaces;
  known text;
  obstacle text;
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
  select b.outcome into obstacle
    from (select count(*) filter (where r.runner_job_id is not distinct from s.runner_job_id) + 1 as states,
                 coalesce(sum(r.size_bytes) filter (where r.runner_job_id is not distinct from s.runner_job_id), 0)
                   + s.size_bytes as of_job,
                 coalesce(sum(r.size_bytes), 0) + s.size_bytes as of_workspace
            from terraform_rescued_states r where r.workspace_id = w.id) n
   cross join lateral (values (1, 'full', n.states, (most ->> 'states')::bigint),
                              (2, 'full-job', n.of_job, (most ->> 'job_bytes')::bigint),
                              (3, 'full-workspace', n.of_workspace, (most ->> 'workspace_bytes')::bigint),
                              (4, 'full-org', (select coalesce(sum(r.size_bytes), 0) + s.size_bytes
                                                 from terraform_rescued_states r where r.org_id = s.org_id),
                               (most ->> 'org_bytes')::bigint)) b (rank, outcome, has, may)
   where b.may > 0 and b.has > b.may order by b.rank limit 1;
  if obstacle is not null then return row(obstacle, null, w.revision)::workspace_outcome; end if;
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

-- Blocks a workspace with a reason, its kind and the job that asked for it. A job's block never replaces an existing one: it
-- is only recorded as an event, each once, and at most 20 of a job. outcome: done · not-found
create or replace function hold_back_workspace(org text, workspace text, actor text, why text, of_kind text, job text)
  returns workspace_outcome language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  perform 1 from terraform_workspaces w
    where w.org_id = org and w.id = workspace and w.deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  update terraform_workspaces
     set blocked_at = t, blocked_by_id = actor, blocked_reason = why, blocked_kind = of_kind, blocked_job_id = job,
         updated_at = t
   where org_id = org and id = workspace and (job is null or blocked_at is null);
  if found or (select count(*) < 20 and not coalesce(bool_or(e.reason = why and e.info ->> 'kind' = of_kind), false)
                 from terraform_workspace_events e
                where e.workspace_id = workspace and e.kind = 'blocked' and e.info ->> 'runner_job_id' = job) then
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    values (org, workspace, 'blocked', actor, why,
            jsonb_strip_nulls(jsonb_build_object('kind', of_kind, 'runner_job_id', job)), t);
  end if;
  return row('done', null, null)::workspace_outcome;
end $$;

-- Makes a rescued state the current one and lifts a block only if its own job caused it by this failed write. Serial and lineage
-- are checked as for every write, and a lock refuses it. outcome: pushed · unchanged · no-rescued-state · not-found ·
-- held · serial-older · serial-taken · other-lineage
create or replace function push_rescued_state(org text, workspace text, rescued text, actor text, why text) returns workspace_outcome
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
    insert into terraform_state_uploads (object_id, org_id) values (rescued, org) on conflict do nothing; -- so that its parts are deleted
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
  if w.blocked_kind = 'state_push_failed' and w.blocked_job_id = r.runner_job_id then
    perform unblock_workspace(org, workspace, actor, why);
  end if;
  return row('pushed', null, w.revision)::workspace_outcome;
end $$;

-- outcome: done · no-rescued-state
create or replace function discard_rescued_state(org text, workspace text, rescued text, actor text, why text)
  returns workspace_outcome language plpgsql as $$
declare
  r terraform_rescued_states;
begin
  delete from terraform_rescued_states x where x.org_id = org and x.id = rescued and x.workspace_id = workspace
  returning * into r;
  if not found then return row('no-rescued-state', null, null)::workspace_outcome; end if;
  insert into terraform_state_uploads (object_id, org_id) values (rescued, org) on conflict do nothing; -- so that its parts are deleted
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
  values (org, workspace, 'rescued-state-discarded', actor, why,
          jsonb_build_object('state', r.id, 'serial', r.serial, 'runner_job_id', r.runner_job_id), svc_now());
  return row('done', null, null)::workspace_outcome;
end $$;
