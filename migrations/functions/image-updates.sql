-- Images that components follow by an update_policy, and the looks for newer ones. Lock order: the app, its lane, the components, runners'
-- queues.

-- Has the emitter of an app that looks for newer images made, changed or ended by the config in force, where that may have one.
create or replace function keep_image_emitter(org text, app text, config text) returns void
  language plpgsql as $$
begin
  if exists (select from app_configs c where c.org_id = org and c.id = config and strpos(c.document, '"update_policy"') > 0)
     or exists (select from image_updates u where u.app_id = app) then
    perform graphile_worker.add_job('keep-image-emitter', json_build_object('org_id', org, 'app_id', app),
                                    job_key := 'images:' || app, max_attempts := 10);
  end if;
end $$;

-- Keeps those components of an app that follow an image by this config, and what is known of each that it says nothing else of. Where none
-- does, the emitter ends. outcome: kept · stale (another config is in force) · not-found (the app) · no-lane. emitter: that there is
create or replace function keep_image_updates(org text, app text, config text, followed jsonb)
  returns table (outcome text, lane text, emitter text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  active text;
  own_lane text;
begin
  select coalesce(a.active_config_id, '') into active from apps a where a.org_id = org and a.id = app and a.deleted_at is null for share;
  if active is null then
    return query select 'not-found', null::text, null::text;
    return;
  elsif active <> coalesce(config, '') then
    return query select 'stale', null::text, null::text;
    return;
  end if;
  own_lane := builds_lane(org, app, svc_now());
  if own_lane is null then
    return query select 'no-lane', null::text, null::text;
    return;
  end if;
  perform lock_signal_queues(array[own_lane]);
  delete from image_updates u
   where u.org_id = org and u.app_id = app
     and not exists (select from jsonb_to_recordset(followed) as f(component_id text) where f.component_id = u.component_id);
  insert into image_updates as u (component_id, org_id, app_id, policy, checksum)
  select f.component_id, org, app, f.policy, f.checksum
    from jsonb_to_recordset(followed) as f(component_id text, policy text, checksum text)
   order by f.component_id
      on conflict (org_id, component_id) do update
         set policy = excluded.policy, checksum = excluded.checksum, runner_job_id = null, status = 'pending', detail = '', tag = '',
             digest = '', build_id = null, looked_at = null
       where u.checksum <> excluded.checksum;
  if followed = '[]' then
    delete from queue_emitters e where e.queue_id = own_lane and e.signal_type = 'image-update';
  end if;
  return query select 'kept', own_lane,
                      (select e.id::text from queue_emitters e where e.queue_id = own_lane and e.signal_type = 'image-update'
                        order by e.id limit 1);
end $$;

-- Begins looks at images: jobs, each beside the component that it is for, and ends the tick that asked for them. What is looked at
-- already, or has another config by now, is left. outcome: begun · gone (the app, or the tick). looks: [{component_id, checksum, and either
-- job (as enqueue_jobs takes it) or detail (why it cannot be looked at)}]
create or replace function begin_image_looks(org text, app text, signal text, looks jsonb) returns table (outcome text, is_on_offer boolean)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  ours jsonb;
  made enqueued_job[] := '{}';
begin
  perform 1 from apps a where a.org_id = org and a.id = app and a.deleted_at is null for share;
  if not found then
    return query select 'gone', false;
    return;
  end if;
  perform lock_queues_of_signals(array[signal]);
  if not exists (select from queue_signal_live l where l.org_id = org and l.id = signal and l.status = 'in-flight') then
    return query select 'gone', false;
    return;
  end if;
  perform 1 from image_updates u where u.org_id = org and u.app_id = app order by u.component_id for no key update;
  select coalesce(jsonb_agg(x.look order by x.n), '[]') into ours
    from jsonb_array_elements(looks) with ordinality x (look, n)
    join image_updates u on u.org_id = org and u.component_id = x.look ->> 'component_id' and u.app_id = app
   where u.checksum = x.look ->> 'checksum'
     and not exists (select from runner_job_live j where j.id = u.runner_job_id);
  if jsonb_path_exists(ours, '$[*].job') then
    made := array(select j from enqueue_jobs((select json_agg(x -> 'job') from jsonb_array_elements(ours) x where x ? 'job')) j);
  end if;
  update image_updates u
     set runner_job_id = case when d.is_begun then d.job_id end,
         status = case when d.is_begun then u.status else 'failed' end,
         detail = case when d.is_begun then u.detail else d.detail end,
         looked_at = case when d.is_begun then u.looked_at else t end
    from (select x ->> 'component_id' as component_id, x #>> '{job,id}' as job_id, coalesce(m.outcome = 'enqueued', false) as is_begun,
                 coalesce(x ->> 'detail', 'the runner of the org takes no more jobs: ' || m.outcome) as detail
            from jsonb_array_elements(ours) x
            left join unnest(made) m on m.request = (x #>> '{job,request}')::int) d
   where u.org_id = org and u.component_id = d.component_id;
  perform move_signals(array[row(signal, 'finish', 'the images are being looked at', null, null, null, null)::signal_move], t);
  return query select 'begun', exists (select from unnest(made) m where m.status = 'available');
end $$;

-- Writes what a look has found, and begins a build where that is something new: another digest than that of the newest artifact. None is
-- begun beside one that is open, nor again for a digest whose build did not succeed with this config, or made something else.
-- outcome: current · new · tried · failed · changed (another config is in force) · lost (another look has begun, or it is followed no more)
-- told: {tag, digest} or {detail}; draft, build: as begin_builds takes them; null: what is built is not known
create or replace function settle_image_look(org text, component text, job text, told jsonb, draft jsonb, build jsonb) returns text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  app text;
  active text;
  newest record;
  other record;
  outcome text;
  why text := coalesce(told ->> 'detail', '');
  built text;
begin
  select u.app_id into app from image_updates u where u.org_id = org and u.component_id = component;
  select a.active_config_id into active from apps a where a.org_id = org and a.id = app and a.deleted_at is null for share;
  if not found then
    return 'lost';
  end if;
  perform lock_signal_queues(array[builds_lane(org, app, t)]);
  perform 1 from image_updates u where u.org_id = org and u.component_id = component and u.runner_job_id = job for no key update;
  if not found then
    return 'lost';
  end if;
  select b.id::text as id, b.artifact ->> 'source_digest' as digest, b.looked_digest into newest
    from component_builds b where b.component_id = component and b.status = 'active' order by b.id desc limit 1;
  if told ->> 'digest' is null then
    outcome := 'failed';
  elsif newest.digest = told ->> 'digest' then
    outcome := 'current';
    built := newest.id;
  else
    select b.id::text as id into other from component_builds b
     where b.app_id = app and coalesce(b.component_id, '') = component and b.status in ('planning', 'building') order by b.id desc limit 1;
    if other.id is not null then
      outcome := 'new';
      why := 'a build of it is under way';
      built := other.id;
    elsif draft is null or active is distinct from draft #>> '{params,app_config_id}' then
      outcome := 'changed';
    else
      select b.id::text as id into other from component_builds b
       where b.component_id = component and b.looked_digest = told ->> 'digest'
         and (b.id = newest.id
              or b.app_config_id = active
                 and (b.status = 'policy_failed'
                      or b.status = 'error' and coalesce(b.composite_error ->> 'code', '') not in ('runner_unavailable', 'process_lost')
                      or b.status = 'cancelled' and b.status_description not like '%took its place'))
       order by b.id desc limit 1;
      if other.id is not null then
        outcome := 'tried';
        built := other.id;
      else
        outcome := begin_builds(org, app, draft, jsonb_build_array(build || jsonb_build_object('looked_digest', told ->> 'digest')));
        built := case when outcome = 'created' then build ->> 'id' end;
        why := case outcome when 'created' then '' when 'full' then 'its build has no place: the lane of the app''s builds is full'
                            else 'its build has no place: another queue has the name of the lane of the app''s builds' end;
        outcome := case when outcome = 'created' then 'new' else 'failed' end;
      end if;
    end if;
  end if;
  update image_updates u
     set runner_job_id = null, looked_at = case when outcome = 'changed' then u.looked_at else t end,
         status = case when outcome = 'changed' then u.status else outcome end,
         detail = case when outcome = 'changed' then u.detail else why end,
         tag = case when told ->> 'digest' is null or outcome = 'changed' then u.tag else told ->> 'tag' end,
         digest = case when told ->> 'digest' is null or outcome = 'changed' then u.digest else told ->> 'digest' end,
         build_id = case when told ->> 'digest' is null or outcome = 'changed' then u.build_id else built end
   where u.org_id = org and u.component_id = component;
  return outcome;
end $$;

-- Has what looks found written, whose jobs have ended.
create or replace function settle_image_looks(job_ids text[]) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  perform graphile_worker.add_job('settle-image-look', json_build_object('org_id', u.org_id, 'component_id', u.component_id, 'job_id', j.id),
                                  job_key := 'image-look:' || j.id, max_attempts := 10)
     from unnest(job_ids) j (id) join image_updates u on u.runner_job_id = j.id;
end $$;
