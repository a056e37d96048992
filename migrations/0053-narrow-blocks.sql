-- What may block a workspace, and what lifts a block: no more than each knows.

-- Before these moves: of executions whose result says that their state was not saved, that they were stopped half-way or
-- killed, what their plan names; of others that change things and fail, whatever they say, while they hold a workspace,
-- that workspace.
create or replace function block_half_done(moves job_move[], t timestamptz) returns void
  language plpgsql as $$
declare
  blocks workspace_block[];
begin
  if not exists (select from unnest(moves) m where m.event in ('fail', 'expire', 'retry', 'cancel')) then
    return;
  end if;
  with ended as materialized (
    select l.org_id, l.id, m.event, m.ended_by, m.clock, m.stop_reason, coalesce(m.description, '') as description,
           r.execution_id is not null as has_result, r.error_metadata ->> 'class' as class,
           coalesce(r.error_metadata ->> 'message', m.description, '') as message
      from unnest(moves) m
      join runner_job_live l on l.id = m.job_id and l.status = 'in-progress'
      left join runner_job_execution_results r on r.execution_id = l.execution_id and not r.success
     where m.event in ('fail', 'expire', 'retry', 'cancel')
  )
  select array_agg(b) into blocks from (
    select distinct on (d.job_id, d.workspace_id) row(d.org_id, d.workspace_id, d.job_id, d.kind, d.why)::workspace_block as b
      from (
        select 1 as rank, e.org_id, w.id as workspace_id, e.id as job_id, e.class as kind,
               case e.class when 'state_push_failed' then format('%s could not save its state: %s', e.id, e.message)
                            when 'interrupted' then format('%s was stopped half-way: %s', e.id, e.message)
                            else format('%s was killed while it changed things: %s', e.id, e.message) end as why
          from ended e
          join runner_job_plans p on p.runner_job_id = e.id
         cross join unnest(p.names) n
          join terraform_workspaces w on w.org_id = e.org_id and w.id = n
         where e.class in ('state_push_failed', 'killed_dirty', 'interrupted')
        union all
        select 2, e.org_id, k.workspace_id, e.id,
               case when e.stop_reason = 'timed-out' then 'timed_out' when e.stop_reason = 'forced' then 'forced'
                    when e.ended_by = 'broker' then 'lost' else 'left_locked' end,
               format(case when e.has_result then '%s failed and left the lock (%s): nobody knows what it changed'
                           else '%s ended without a result while it held the lock (%s): nobody knows what it changed' end,
                      e.id, e.message)
          from ended e
          join runner_jobs j on j.org_id = e.org_id and j.id = e.id and j.operation in ('apply-plan', 'exec')
          join terraform_workspace_locks k on k.runner_job_id = e.id and k.org_id = e.org_id
         where e.event <> 'cancel') d
     order by d.job_id, d.workspace_id, d.rank) one;
  if blocks is not null then
    perform block_workspaces(blocks, t);
  end if;
end $$;

-- Blocks with a word for why and the job that says so. A job's block never takes the place of one that stands: it is
-- written down beside it. outcome: done · not-found
create or replace function hold_back_workspace(org text, workspace text, actor text, why text, of_kind text, job text)
  returns workspace_outcome language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  update terraform_workspaces
     set blocked_at = t, blocked_by_id = actor, blocked_reason = why, blocked_kind = of_kind, blocked_job_id = job,
         updated_at = t
   where org_id = org and id = workspace and deleted_at is null and (job is null or blocked_at is null);
  if not found and not exists (select from terraform_workspaces w
                                where w.org_id = org and w.id = workspace and w.deleted_at is null) then
    return row('not-found', null, null)::workspace_outcome;
  end if;
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
  values (org, workspace, 'blocked', actor, why,
          jsonb_strip_nulls(jsonb_build_object('kind', of_kind, 'runner_job_id', job)), t);
  return row('done', null, null)::workspace_outcome;
end $$;

-- Keeps one, and blocks the workspace while its job lives and ten minutes after. The same bytes are kept once, and not at
-- all when they are the current state. most: of one job, so that none takes another's place. holder: its id.
-- outcome: kept · known · current · full · not-found
create or replace function keep_rescued_state(s terraform_rescued_states, only_part bytea, prints jsonb, most int)
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
  if (select count(*) from terraform_rescued_states r
        where r.workspace_id = w.id and r.runner_job_id is not distinct from s.runner_job_id) >= most then
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

-- Makes a rescued state the current one and lifts the block of its own job's lost state, no other; the rules of serial and
-- lineage hold as for every write, and a lock is in the way. outcome: pushed · unchanged · no-rescued-state · not-found ·
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
  if w.blocked_kind = 'state_push_failed' and w.blocked_job_id = r.runner_job_id then
    perform unblock_workspace(org, workspace, actor, why);
  end if;
  return row('pushed', null, w.revision)::workspace_outcome;
end $$;
