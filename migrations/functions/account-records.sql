-- Records of accounts. Lock order: the account, its records.

-- Adds a record to an account and answers it, or the one of its kind and name that is there; none: the account has `most` of its kind.
create or replace function add_account_record(draft jsonb, most int)
  returns table (id text, account_id text, name text, contents jsonb, created_at timestamptz, updated_at timestamptz)
  language plpgsql as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  account text := draft ->> 'account_id';
  of_kind text := draft ->> 'kind';
begin
  perform from accounts a where a.id = account for no key update;
  return query select r.id::text, r.account_id::text, r.name, r.contents, r.created_at, r.updated_at
                 from account_records r where r.account_id = account and r.kind = of_kind and r.name = draft ->> 'name';
  if found or (select count(*) from account_records r where r.account_id = account and r.kind = of_kind) >= most then
    return;
  end if;
  return query insert into account_records as r (id, account_id, kind, name, contents, created_at, updated_at)
               values (draft ->> 'id', account, of_kind, draft ->> 'name', draft -> 'contents', t, t)
               returning r.id::text, r.account_id::text, r.name, r.contents, r.created_at, r.updated_at;
end $$;
