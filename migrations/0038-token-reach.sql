-- How far a token reaches: its own org, or all orgs of the account that it speaks for. Only a token that a person makes
-- for itself speaks for its account (broker/tokens/token-rules.ts). A broker of the version before does not say it: the
-- tokens that it makes meanwhile stay in their org.
alter table tokens
  add column reach text not null default 'org' check (reach in ('org', 'account')),
  add check (reach = 'org' or kind = 'pat');

-- Until now a token of another kind could be made by anybody in the org for a colleague's account, spoke for that account
-- and could make a person's token for it. Such a token now speaks for itself. A person's token that came after it may be
-- of its making: it is revoked.
with made_by_others as (
  select account_id, min(issued_at) as since
    from tokens
   where kind <> 'pat' and account_id is not null and created_by_id not in ('', account_id)
   group by account_id)
update tokens t
   set revoked_at = svc_now(), updated_at = svc_now()
  from made_by_others m
 where t.kind = 'pat' and t.account_id = m.account_id and t.created_by_id = t.account_id
   and t.issued_at >= m.since and t.revoked_at is null;

-- Made by its own account, or in the database itself.
update tokens set reach = 'account' where kind = 'pat' and revoked_at is null and created_by_id in ('', account_id);
