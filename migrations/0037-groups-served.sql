-- Which groups a process serves is said once: whether it serves one, and how many slots its runner has, derive from that.

-- The groups that a process serves, with its slots: those it announced or has by its type, else those that its settings
-- name.
create function groups_served(serves jsonb, runner text) returns table (job_group text, slots int)
  language sql stable as $$
  select e.key, e.value::int from jsonb_each_text(serves) e
  union all
  select distinct case g when 'deploys' then 'deploy' else g end, 1
    from runners u
    join runner_group_settings s on s.runner_group_id = u.runner_group_id
   cross join unnest(s.groups) g
   where u.id = runner and serves is null and g <> 'any'
$$;

create or replace function serves_group(serves jsonb, runner text, wanted text) returns boolean
  language sql stable
  return exists (select from groups_served(serves, runner) g where g.job_group = wanted);

-- The slots that the live serving processes of a runner offer, group by group.
create or replace function served_slots(runner text) returns table (job_group text, slots int)
  language sql stable as $$
  select v.job_group, sum(v.slots)::int
    from runner_processes p
   cross join lateral groups_served(p.serves, p.runner_id) v
   where p.runner_id = runner and p.status in ('pending', 'active')
     and p.draining is null and p.going_away_at is null and not p.must_register_anew
   group by v.job_group
$$;
