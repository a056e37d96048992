-- Terraform workspaces: locks, and revisions of their state.

create or replace function lock_holder(l terraform_workspace_locks) returns jsonb
  language sql stable
  return l.info || jsonb_build_object('ID', l.lock_id);

-- A block in the shape of a lock, for Terraform to print; Path is the workspace.
create or replace function block_holder(w terraform_workspaces) returns jsonb
  language sql stable
  return jsonb_build_object('ID', 'blocked', 'Operation', 'blocked', 'Info', w.blocked_reason, 'Who', w.blocked_by_id,
                            'Created', to_json(w.blocked_at), 'Path', w.id);

-- outcome: locked · held · blocked · ended · not-found
create or replace function lock_workspace(l terraform_workspace_locks, by_hand boolean) returns workspace_outcome
  language plpgsql as $$
declare
  w terraform_workspaces;
  h terraform_workspace_locks;
  other jsonb;
begin
  select * into w from terraform_workspaces
   where org_id = l.org_id and id = l.workspace_id and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = w.id;
  if found and h.lock_id = l.lock_id then
    return row('locked', lock_holder(h), w.revision)::workspace_outcome;
  elsif w.blocked_at is not null then -- before the lock: its holder may be gone, and the block says what to do
    return row('blocked', block_holder(w), w.revision)::workspace_outcome;
  elsif h.lock_id is not null then
    return row('held', lock_holder(h), w.revision)::workspace_outcome;
  end if;
  other := pulumi_holder(w.org_id, w.id);
  if l.runner_job_id <> other ->> 'job' then
    return row('held', pulumi_lock_holder(other), w.revision)::workspace_outcome;
  end if;
  if l.runner_job_id is not null
     and not exists (select from runner_job_live j where j.id = l.runner_job_id and j.status = 'in-progress'
                        and (l.execution_id is null or j.execution_id = l.execution_id)) then
    return row('ended', null, w.revision)::workspace_outcome;
  end if;
  l.created_at := svc_now();
  insert into terraform_workspace_locks select l.*;
  if by_hand then
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    values (w.org_id, w.id, 'locked', l.created_by_id, coalesce(l.info ->> 'Info', ''), lock_holder(l), l.created_at);
  end if;
  return row('locked', lock_holder(l), w.revision)::workspace_outcome;
end $$;

-- Without a lock id any lock is removed. Recorded as an event when an operator unlocks, or another than the one who locked.
-- outcome: unlocked · was-unlocked · held · not-found
create or replace function release_workspace(org text, workspace text, lock text, actor text, why text, by_hand boolean)
  returns workspace_outcome language plpgsql as $$
declare
  h terraform_workspace_locks;
begin
  perform from terraform_workspaces where org_id = org and id = workspace and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = workspace;
  if not found then return row('was-unlocked', null, null)::workspace_outcome; end if;
  if lock is not null and lock <> h.lock_id then return row('held', lock_holder(h), null)::workspace_outcome; end if;
  delete from terraform_workspace_locks where workspace_id = workspace;
  if lock is null or by_hand or actor <> h.created_by_id then
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    values (org, workspace, case when lock is null then 'force-unlocked' else 'unlocked' end, actor, why, lock_holder(h),
            svc_now());
  end if;
  perform wake_deploys_waiting_for(org, workspace);
  return row('unlocked', lock_holder(h), null)::workspace_outcome;
end $$;

-- As release_workspace without a lock id; but unless it is forced, the lock stays while its job may be writing: it is in
-- progress, or an execution of it is stopping.
-- outcome: unlocked · was-unlocked · in-use · not-found
create or replace function break_workspace_lock(org text, workspace text, actor text, why text, forced boolean)
  returns workspace_outcome language plpgsql as $$
declare
  h terraform_workspace_locks;
begin
  perform from terraform_workspaces where org_id = org and id = workspace and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = workspace;
  if found and not forced and h.runner_job_id is not null
     and (exists (select from runner_job_live l where l.id = h.runner_job_id and l.status = 'in-progress')
          or exists (select from stopping_executions s where s.runner_job_id = h.runner_job_id)) then
    return row('in-use', lock_holder(h) || jsonb_build_object('job', h.runner_job_id), null)::workspace_outcome;
  end if;
  return release_workspace(org, workspace, null, actor, why, true);
end $$;

-- Whether a job's lock was taken only to plan, which changes nothing. Terraform names the operation in its lock and takes a new
-- one to apply, so the lock of an exec tells whether it is still planning.
create or replace function is_plan_lock(type text, operation text, info jsonb) returns boolean
  language sql immutable
  return coalesce(operation in ('create-apply-plan', 'create-teardown-plan') or type = 'sandbox-terraform-plan'
                  or (operation = 'exec' and info ->> 'Operation' = 'OperationTypePlan'), false);

-- Frees the locks for planning of executions that have ended and, as far as is known, run no more; records each as an event.
-- A lock to apply stays, even if it replaced the one to plan just now. Deploys that wait for one of these workspaces look again.
create or replace function free_plan_locks(execution_ids text[], t timestamptz) returns void
  language plpgsql as $$
declare
  lock_ids text[];
  freed_at jsonb;
begin
  select array_agg(k.id::text), jsonb_agg(distinct jsonb_build_array(k.org_id, k.workspace_id)) into lock_ids, freed_at
    from runner_job_executions e
    join terraform_workspace_locks k on k.org_id = e.org_id and k.runner_job_id = e.runner_job_id
                                    and (k.execution_id is null or k.execution_id = e.id)
    join runner_jobs j on j.org_id = e.org_id and j.id = e.runner_job_id and is_plan_lock(j.type, j.operation, k.info)
   where e.id = any(execution_ids);
  if lock_ids is null then
    return;
  end if;
  perform 1 from terraform_workspaces w join terraform_workspace_locks k on k.org_id = w.org_id and k.workspace_id = w.id
   where k.id = any(lock_ids) order by w.id for update of w; -- in one order, so that callers cannot deadlock
  with freed as (
    delete from terraform_workspace_locks k where k.id = any(lock_ids) returning k as lock
  )
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
  select (f.lock).org_id, (f.lock).workspace_id, 'unlocked', 'broker',
         format('%s only planned, is over and left the lock', (f.lock).runner_job_id), lock_holder(f.lock), t
    from freed f;
  perform wake_deploys_waiting_for(a.at ->> 0, a.at ->> 1) from (select x as at from jsonb_array_elements(freed_at) x order by 1) a;
end $$;

-- Why a change of a workspace's state is refused; null if it is allowed. Locks the workspace's row.
-- heeds_block: always · unless-held (the holder of the lock may save) · never (a rollback is how a block is resolved)
create or replace function refuse_change(org text, workspace text, lock text, needs_lock boolean, heeds_block text)
  returns workspace_outcome language plpgsql as $$
declare
  w terraform_workspaces;
  h terraform_workspace_locks;
  is_held boolean;
begin
  select * into w from terraform_workspaces x
   where x.org_id = org and x.id = workspace and x.deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = w.id;
  is_held := found;
  if is_held and (lock is null or lock <> h.lock_id) then
    return row('held', lock_holder(h), w.revision)::workspace_outcome;
  elsif w.blocked_at is not null and (heeds_block = 'always' or (heeds_block = 'unless-held' and not is_held)) then
    return row('blocked', block_holder(w), w.revision)::workspace_outcome;
  elsif needs_lock and not is_held then
    return row('not-locked', null, w.revision)::workspace_outcome;
  end if;
  return null;
end $$;

-- Writes one new revision. Its parts are uploaded already, or come as `only_part`. `prints` has the fingerprint of these bytes
-- by each key. outcome: written · unchanged · not-found · held · blocked · not-locked ·
-- terraform-state · serial-older · serial-taken · other-lineage
create or replace function keep_terraform_state(s terraform_workspace_states, only_part bytea, prints jsonb, lock text,
                                     needs_lock boolean, reason text, is_terraform boolean) returns workspace_outcome
  language plpgsql as $$
declare
  w terraform_workspaces;
  c terraform_workspace_states;
  refused workspace_outcome;
begin
  refused := refuse_change(s.org_id, s.workspace_id, lock, needs_lock,
                           case when s.rolled_back_from is null then 'unless-held' else 'never' end);
  if refused.outcome is not null then return refused; end if;
  select * into w from terraform_workspaces where org_id = s.org_id and id = s.workspace_id;
  select * into c from terraform_workspace_states x where x.org_id = w.org_id and x.id = w.state_id;
  if found and s.rolled_back_from is null then
    if encode(c.fingerprint, 'hex') = prints ->> coalesce(c.key_id, '') then
      return row('unchanged', null, c.revision)::workspace_outcome;
    elsif not is_terraform and (c.serial is not null or c.lineage is not null) then
      return row('terraform-state', null, c.revision)::workspace_outcome;
    elsif c.lineage <> s.lineage then
      return row('other-lineage', null, c.revision)::workspace_outcome;
    elsif s.serial < c.serial then
      return row('serial-older', jsonb_build_object('serial', c.serial), c.revision)::workspace_outcome;
    elsif s.serial = c.serial then
      return row('serial-taken', jsonb_build_object('serial', c.serial), c.revision)::workspace_outcome;
    end if;
  end if;
  if s.rolled_back_from is not null and s.serial <= c.serial then -- a concurrent write came first
    return row('serial-older', jsonb_build_object('serial', c.serial), c.revision)::workspace_outcome;
  end if;
  s.revision := w.revision + 1;
  s.created_at := svc_now();
  insert into terraform_workspace_states select s.*;
  if only_part is not null then
    insert into terraform_state_parts (object_id, n, org_id, body) values (s.id, 0, s.org_id, only_part);
  else
    delete from terraform_state_uploads where object_id = s.id;
    if not found then raise exception 'the parts of % are gone', s.id; end if;
  end if;
  update terraform_workspaces set revision = s.revision, state_id = s.id, updated_at = s.created_at
   where org_id = w.org_id and id = w.id;
  if s.rolled_back_from is not null then
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    values (w.org_id, w.id, 'rolled-back', s.created_by_id, reason,
            jsonb_build_object('from', s.rolled_back_from, 'revision', s.revision), s.created_at);
  end if;
  return row('written', null, s.revision)::workspace_outcome;
end $$;

-- Removes the current state; the revisions stay.
create or replace function drop_terraform_state(org text, workspace text, lock text, needs_lock boolean, actor text, why text)
  returns workspace_outcome language plpgsql as $$
declare
  w terraform_workspaces;
  refused workspace_outcome;
begin
  refused := refuse_change(org, workspace, lock, needs_lock, 'always');
  if refused.outcome is not null then return refused; end if;
  select * into w from terraform_workspaces where org_id = org and id = workspace;
  if w.state_id is not null then
    update terraform_workspaces set state_id = null, updated_at = svc_now() where org_id = org and id = workspace;
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    values (org, workspace, 'state-deleted', actor, why, jsonb_build_object('revision', w.revision), svc_now());
  end if;
  return row('deleted', null, w.revision)::workspace_outcome;
end $$;

-- Stores `terraform show -json` of the current state. The parts of the one before are deleted an hour later, like those of an
-- unfinished upload, so that readers can finish.
create or replace function write_state_json(s terraform_workspace_state_jsons, only_part bytea) returns workspace_outcome
  language plpgsql as $$
declare
  old text;
begin
  perform from terraform_workspaces w
    where w.org_id = s.org_id and w.id = s.workspace_id and w.deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  delete from terraform_workspace_state_jsons where workspace_id = s.workspace_id returning id into old;
  if found then
    insert into terraform_state_uploads (object_id, org_id) values (old, s.org_id) on conflict do nothing;
  end if;
  s.created_at := svc_now();
  insert into terraform_workspace_state_jsons select s.*;
  if only_part is not null then
    insert into terraform_state_parts (object_id, n, org_id, body) values (s.id, 0, s.org_id, only_part);
  else
    delete from terraform_state_uploads where object_id = s.id;
    if not found then raise exception 'the parts of % are gone', s.id; end if;
  end if;
  return row('written', null, null)::workspace_outcome;
end $$;

-- Deletes a workspace; it is kept for some days, so that restore_workspace can bring it back.
create or replace function retire_workspace(org text, workspace text, actor text, why text) returns workspace_outcome
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  refused workspace_outcome;
begin
  refused := refuse_change(org, workspace, null, false, 'always');
  if refused.outcome is not null then return refused; end if;
  update terraform_workspaces set deleted_at = t, updated_at = t where org_id = org and id = workspace;
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, at)
  values (org, workspace, 'deleted', actor, why, t);
  return row('deleted', null, null)::workspace_outcome;
end $$;

-- Restores a workspace that was deleted in the last `kept_days` days. outcome: done · not-found
create or replace function restore_workspace(org text, workspace text, kept_days int, actor text, why text) returns workspace_outcome
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  deleted timestamptz;
begin
  select deleted_at into deleted from terraform_workspaces
   where org_id = org and id = workspace and (deleted_at is null or deleted_at > t - make_interval(days => kept_days))
     for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  if deleted is not null then
    update terraform_workspaces set deleted_at = null, updated_at = t where org_id = org and id = workspace;
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, at)
    values (org, workspace, 'restored', actor, why, t);
  end if;
  return row('done', null, null)::workspace_outcome;
end $$;
