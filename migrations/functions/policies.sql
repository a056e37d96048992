-- Policies: what is to be evaluated, by whom, and what came of it. Lock order: the evaluation, then nothing.

-- Files evaluations that a workflow waits for; one that is there or has its report stays.
-- evaluations: [{owner_type, owner_id, runner_job_id}]
create or replace function ask_policies(org text, workflow text, evaluations jsonb) returns void
  language sql
  as $$
  insert into policy_evaluations (org_id, owner_type, owner_id, runner_job_id, workflow_id, created_at)
  select org, e.owner_type, e.owner_id, e.runner_job_id, workflow, svc_now()
    from jsonb_populate_recordset(null::policy_evaluations, evaluations) e
   where not exists (select from policy_reports r where r.org_id = org and r.owner_id = e.owner_id and r.runner_job_id = e.runner_job_id)
      on conflict do nothing
$$;

-- How the policies of a workflow's builds and deploys stand: those that are asked, and the reports that there are.
create or replace function policy_checks(org text, workflow text) returns jsonb
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select coalesce(jsonb_agg(c), '[]')
    from (select jsonb_build_object('owner_id', e.owner_id, 'runner_job_id', e.runner_job_id, 'status', 'pending', 'detail', '',
                                    'report_id', null)
            from policy_evaluations e where e.org_id = org and e.workflow_id = workflow
           union all
          select jsonb_build_object('owner_id', r.owner_id, 'runner_job_id', r.runner_job_id, 'status', r.status,
                                    'detail', r.status_description, 'report_id', r.id)
            from (select b.id from component_builds b where b.workflow_id = workflow and b.org_id = org
                   union all
                  select d.id from install_deploys d where d.workflow_id = workflow and d.org_id = org) o
            join policy_reports r on r.owner_id = o.id and r.org_id = org) as x (c)
$$;

-- Takes an evaluation for a broker until a time: one of the org whose turn was longest ago, of orgs of which none is under way, and of
-- what this broker can judge.
create or replace function take_evaluation_of(owner_types text[], patience interval)
  returns table (org_id text, owner_type text, owner_id text, runner_job_id text, tries int, taken_until timestamptz)
  language plpgsql
  as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  d record;
begin
  -- First one, then its row: in one statement the look may be repeated, and take several.
  select x.org_id, x.owner_id, x.runner_job_id into d
    from policy_evaluations x
   where (x.taken_until is null or x.taken_until <= t) and x.owner_type = any(owner_types)
     and not exists (select from policy_evaluations o where o.org_id = x.org_id and o.taken_until > t)
   order by (select r.id::text from policy_reports r where r.org_id = x.org_id order by r.id desc limit 1) nulls first,
            x.created_at, x.owner_id
   limit 1
     for update of x skip locked;
  if not found then
    return;
  end if;
  return query
  update policy_evaluations e set taken_until = t + patience, tries = e.tries + 1
   where e.org_id = d.org_id and e.owner_id = d.owner_id and e.runner_job_id = d.runner_job_id
  returning e.org_id::text, e.owner_type, e.owner_id::text, e.runner_job_id::text, e.tries, e.taken_until;
end $$;

-- Gives one back that was not ended: another broker may take it at once.
create or replace function leave_policy_evaluation(org text, owner text, job text, until timestamptz) returns void
  language sql
  as $$
  update policy_evaluations e set taken_until = null, tries = e.tries - 1
   where e.org_id = org and e.owner_id = owner and e.runner_job_id = job and e.taken_until = until
$$;

-- Gives one back by which a broker failed: it counts as a try, and the next is ten seconds later, then twenty, then forty.
create or replace function return_policy_evaluation(org text, owner text, job text, until timestamptz) returns void
  language sql
  as $$
  update policy_evaluations e set taken_until = svc_now() + interval '5 seconds' * 2 ^ least(e.tries, 6)
   where e.org_id = org and e.owner_id = owner and e.runner_job_id = job and e.taken_until = until
$$;

-- Says that a broker can evaluate policies.
create or replace function tell_policy_engine() returns void
  language sql
  as $$
  insert into policy_engines (seen_at) values (svc_now()) on conflict (is_one) do update set seen_at = excluded.seen_at
$$;

-- Ends one by its report, and has its workflow looked at. False: another broker has ended it.
create or replace function end_policy_evaluation(org text, owner text, job text, report jsonb) returns boolean
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  ended policy_evaluations;
begin
  delete from policy_evaluations e where e.org_id = org and e.owner_id = owner and e.runner_job_id = job
  returning e.* into ended;
  if not found then
    return false;
  end if;
  insert into policy_reports (id, org_id, owner_type, owner_id, app_id, component_id, component_name, install_id, runner_job_id, status,
                              status_description, inputs, policies, policy_ids, violations, deny_count, warn_count, pass_count,
                              evaluated_at, created_at, created_by_id)
  select r.id, org, ended.owner_type, ended.owner_id, r.app_id, r.component_id, coalesce(r.component_name, ''), r.install_id,
         ended.runner_job_id, r.status, coalesce(r.status_description, ''), r.inputs, r.policies, r.policy_ids, r.violations,
         r.deny_count, r.warn_count, r.pass_count, t, t, coalesce(r.created_by_id, '')
    from jsonb_populate_record(null::policy_reports, report) r;
  perform wake_workflow(org, ended.workflow_id::text);
  return true;
end $$;
