-- Writes revisions of terraform state, and takes state and workspaces away.

-- What refuses a write, null when nothing does: the workspace's row is locked from here.
create function refuse_state_write(org text, workspace text, lock text, needs_lock boolean) returns workspace_outcome
  language plpgsql as $$
declare
  w terraform_workspaces;
  h terraform_workspace_locks;
begin
  select * into w from terraform_workspaces x
   where x.org_id = org and x.id = workspace and x.deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = w.id;
  if found and (lock is null or lock <> h.lock_id) then
    return row('held', lock_holder(h), w.revision)::workspace_outcome;
  elsif not found and needs_lock then
    return row('not-locked', null, w.revision)::workspace_outcome;
  end if;
  return null;
end $$;

-- One new revision, whole or not at all: its parts are there already, or come as `only_part`. `prints` has the
-- fingerprint of these bytes by each key. outcome: written · unchanged · not-found · held · not-locked ·
-- serial-older · serial-taken · other-lineage
create function write_terraform_state(s terraform_workspace_states, only_part bytea, prints jsonb, lock text,
                                      needs_lock boolean, reason text) returns workspace_outcome
  language plpgsql as $$
declare
  w terraform_workspaces;
  c terraform_workspace_states;
  refused workspace_outcome;
begin
  refused := refuse_state_write(s.org_id, s.workspace_id, lock, needs_lock);
  if refused.outcome is not null then return refused; end if;
  select * into w from terraform_workspaces where org_id = s.org_id and id = s.workspace_id;
  select * into c from terraform_workspace_states x where x.org_id = w.org_id and x.id = w.state_id;
  if found and s.rolled_back_from is null then
    if encode(c.fingerprint, 'hex') = prints ->> coalesce(c.key_id, '') then
      return row('unchanged', null, c.revision)::workspace_outcome;
    elsif c.lineage <> s.lineage then
      return row('other-lineage', null, c.revision)::workspace_outcome;
    elsif s.serial < c.serial then
      return row('serial-older', jsonb_build_object('serial', c.serial), c.revision)::workspace_outcome;
    elsif s.serial = c.serial then
      return row('serial-taken', jsonb_build_object('serial', c.serial), c.revision)::workspace_outcome;
    end if;
  end if;
  if s.rolled_back_from is not null and s.serial <= c.serial then -- somebody wrote meanwhile
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

-- The workspace has no state from now on; its revisions stay.
create function delete_terraform_state(org text, workspace text, lock text, actor text) returns workspace_outcome
  language plpgsql as $$
declare
  w terraform_workspaces;
  refused workspace_outcome;
begin
  refused := refuse_state_write(org, workspace, lock, false);
  if refused.outcome is not null then return refused; end if;
  select * into w from terraform_workspaces where org_id = org and id = workspace;
  if w.state_id is not null then
    update terraform_workspaces set state_id = null, updated_at = svc_now() where org_id = org and id = workspace;
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, info, at)
    values (org, workspace, 'state-deleted', actor, jsonb_build_object('revision', w.revision), svc_now());
  end if;
  return row('deleted', null, w.revision)::workspace_outcome;
end $$;

create function delete_workspace(org text, workspace text) returns workspace_outcome
  language plpgsql as $$
declare
  w terraform_workspaces;
  refused workspace_outcome;
begin
  refused := refuse_state_write(org, workspace, null, false);
  if refused.outcome is not null then return refused; end if;
  select * into w from terraform_workspaces where org_id = org and id = workspace;
  update terraform_workspaces set deleted_at = svc_now(), updated_at = svc_now() where org_id = org and id = workspace;
  return row('deleted', null, w.revision)::workspace_outcome;
end $$;

-- `terraform show -json` of the current state; the one before it goes.
create function write_state_json(s terraform_workspace_state_jsons, only_part bytea) returns workspace_outcome
  language plpgsql as $$
declare
  old text;
begin
  perform from terraform_workspaces w
    where w.org_id = s.org_id and w.id = s.workspace_id and w.deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select id into old from terraform_workspace_state_jsons where workspace_id = s.workspace_id;
  delete from terraform_workspace_state_jsons where workspace_id = s.workspace_id;
  delete from terraform_state_parts where object_id = old;
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

-- outcome: done · not-found
create function block_workspace(org text, workspace text, actor text, why text) returns workspace_outcome
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  update terraform_workspaces set blocked_at = t, blocked_by_id = actor, blocked_reason = why, updated_at = t
   where org_id = org and id = workspace and deleted_at is null;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, at)
  values (org, workspace, 'blocked', actor, why, t);
  return row('done', null, null)::workspace_outcome;
end $$;

create function unblock_workspace(org text, workspace text, actor text, why text) returns workspace_outcome
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  was timestamptz;
begin
  select blocked_at into was from terraform_workspaces
   where org_id = org and id = workspace and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  if was is not null then
    update terraform_workspaces set blocked_at = null, blocked_by_id = null, blocked_reason = null, updated_at = t
     where org_id = org and id = workspace;
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, at)
    values (org, workspace, 'unblocked', actor, why, t);
  end if;
  return row('done', null, null)::workspace_outcome;
end $$;
