-- Chains: who stands behind a workflow, or an approver, as ids of accounts and tokens. Two that share one are the same people.

-- Who stands behind these accounts and tokens: they themselves, the makers of tokens and of machines' accounts up to people, whose
-- accounts tokens are, and who rotated them. A token that took another's place counts as the first of its line: a chain does not grow
-- with each rotation. Tokens and accounts are kept when they are revoked, expired or removed, so those count as well.
create or replace function chain_of(ids text[]) returns text[]
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with recursive line (id) as (
    select i collate "C" from unnest(ids) i where i <> ''
    union
    select b.id collate "C"
      from line l -- each is looked up: planned while they are few, a join would walk through all tokens for ever after
      left join lateral (select * from tokens t where t.id = l.id offset 0) t on true
      left join lateral (select * from accounts a where a.id = l.id and a.account_type not in ('auth', 'auth0') offset 0) a on true
     cross join lateral (values (t.account_id::text), (t.created_by_id), (case when t.source_type = 'token' then t.source_id end),
                                (a.created_by_id)) b (id)
     where b.id <> '')
  select coalesce(array_agg(l.id order by l.id), '{}')
    from line l
   where not exists (select from tokens t cross join lateral (select from tokens former where former.id = t.source_id offset 0) f
                      where t.id = l.id and t.source_type = 'token' offset 0)
$$;

-- All of both, each once. A null is nobody.
create or replace function joined_chain(one text[], other text[]) returns text[]
  language sql immutable
  as $$ select coalesce(array_agg(distinct i order by i), '{}') from unnest(one || other) i where i is not null $$;

-- Who stands behind a config: who made it and its parts. One of a version before: who made it.
create or replace function chain_of_config(org text, config text) returns text[]
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select coalesce(c.chain, chain_of(array[c.created_by_id])) from app_configs c where c.org_id = org and c.id = config
$$;

-- Whoever began a change of an install: one look into the index for each, however many changes they began.
create or replace function changers_of(install text) returns text[]
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with recursive found as (
    (select w.created_by_id as id from workflows w where w.owner_id = install and w.type <> 'action_workflow_run'
      order by w.created_by_id limit 1)
    union all
    select (select w.created_by_id from workflows w
             where w.owner_id = install and w.type <> 'action_workflow_run' and w.created_by_id > f.id
             order by w.created_by_id limit 1)
      from found f where f.id is not null)
  select coalesce(array_agg(f.id), '{}') from found f where f.id is not null
$$;

-- Who stands behind the tick of an install's emitter: who made the config with its trigger, who applied that, and who fired it by hand.
-- Where nobody wrote down who applied it (a version before): whoever began a workflow that could have, each looked up once.
create or replace function chain_of_tick(org text, install text, config text, signal text) returns text[]
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select joined_chain(chain_of_config(org, config), joined_chain(
           (select coalesce(i.applied_chain, chain_of(changers_of(install)))
              from installs i where i.org_id = org and i.id = install),
           chain_of(array(select s.created_by_id from queue_signals s
                           where s.org_id = org and s.id = signal and s.scheduled_for is null))))
$$;

-- Who stands behind a workflow. One of a version before has nothing written down: what can still be known counts.
create or replace function chain_of_workflow(w workflows) returns text[]
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  chain text[];
begin
  if (w).chain is not null then
    return (w).chain;
  end if;
  chain := chain_of(array(select a.responded_by_id from workflow_approvals a
                           where a.workflow_id = (w).id and a.response_type = 'retry') || (w).created_by_id);
  if (w).params ->> 'trigger' = 'cron' then
    chain := joined_chain(chain, chain_of_tick((w).org_id, (w).owner_id, (w).params ->> 'app_config_id', (w).signal_id));
  end if;
  return chain;
end $$;

-- What a new workflow has of its chain and of its org's rule: a child has its parent's, too.
create or replace function with_chain(w workflows) returns workflows
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  parent workflows;
begin
  w.chain := joined_chain(w.chain, chain_of(array[w.created_by_id]));
  w.prevents_self_approval := (select o.prevent_self_approval from orgs o where o.id = w.org_id);
  if w.parent_id is not null then
    select * into parent from workflows p where p.org_id = w.org_id and p.id = w.parent_id;
    w.chain := joined_chain(w.chain, chain_of_workflow(parent));
    w.prevents_self_approval := w.prevents_self_approval or parent.prevents_self_approval;
    w.approve_all_chain := parent.approve_all_chain;
  elsif w.approval_option = 'approve-all' then
    w.approve_all_chain := (select i.approve_all_chain from installs i where i.org_id = w.org_id and i.id = w.owner_id);
  end if;
  return w;
end $$;

-- Who retried or resumed a workflow stands behind those, too, that began it: what they do next, and who approves that, follows from it.
-- The caller holds its row; rows above are always locked after those below. Their versions go up, so that an answer that was judged by
-- the chain of before is judged again.
create or replace function join_parents(w workflows, others text[]) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  above workflows := w;
begin
  while above.parent_id is not null loop
    select * into above from workflows p where p.org_id = (w).org_id and p.id = above.parent_id for no key update;
    exit when not found;
    update workflows p set chain = joined_chain(chain_of_workflow(above), others), version = p.version + 1
     where p.org_id = above.org_id and p.id = above.id and not others <@ chain_of_workflow(above);
  end loop;
end $$;
