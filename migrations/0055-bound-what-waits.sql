-- What a runner's token can have kept has bounds: rescued states by bytes, late evidence, events of blocks.

-- Keeps one, as keep_rescued_state does, within `most` (null or 0: no limit): "states" and "job_bytes" of its job,
-- "workspace_bytes", and "org_bytes", which rescues in several workspaces at once may pass by one each. What waits is never
-- taken away for another: nobody has looked at it yet, and who brings one that is refused keeps it.
-- outcome: kept · known · current · not-found · full (of its job's) · full-job · full-workspace · full-org (of bytes)
create function keep_rescued_within(s terraform_rescued_states, only_part bytea, prints jsonb, most jsonb)
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

-- As brokers of the version before call it.
create or replace function keep_rescued_state(s terraform_rescued_states, only_part bytea, prints jsonb, most int)
  returns workspace_outcome language sql as $$
  select keep_rescued_within(s, only_part, prints, jsonb_build_object('states', most))
$$;

-- Of an execution 20 things are kept that came too late, 128 MiB of what is large, and the same once: who reports may
-- repeat what it says, or say something else each time, for as long as its runner has a token.
create function bound_evidence() returns trigger language plpgsql as $$
declare
  n bigint;
  size bigint;
  has_same boolean;
begin
  select count(*), coalesce(sum(octet_length(v.sealed)), 0),
         bool_or(v.kind = new.kind and v.sealed is null and new.sealed is null and v.body = new.body
                 or v.kind = 'result' and new.kind = 'result' and new.body ? 'fingerprint'
                    and v.body - '{sealed_contents,key_id}'::text[] = new.body - '{sealed_contents,key_id}'::text[])
    into n, size, has_same
    from runner_job_execution_evidence v where v.execution_id = new.execution_id;
  if n >= 20 or has_same or size + coalesce(octet_length(new.sealed), 0) > 128 * 1024 * 1024 then
    return null;
  end if;
  return new;
end $$;
create trigger bound_evidence before insert on runner_job_execution_evidence
  for each row execute function bound_evidence();

-- Blocks with a word for why and the job that says so. A job's block never takes the place of one that stands: it is
-- written down beside it, the same once, and 20 of a job at most. outcome: done · not-found
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
