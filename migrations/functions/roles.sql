-- Roles of orgs.

-- Whether the org may have one more role. Two creations count one after the other.
create or replace function has_room_for_role(org text, most int) returns boolean
  language plpgsql as $$
begin
  perform 1 from orgs o where o.id = org for no key update;
  return (select count(*) < most from roles r where r.org_id = org);
end $$;

-- Changes what a role of the org is called and permits, and has all brokers forget what they know of whoever has it; false where
-- there is none. Two changes come one after the other, so that what is left is what one of them said. seen: when it was last changed, as
-- the caller knows it, in milliseconds; null where it was changed since.
create or replace function change_role(org text, role text, changes jsonb) returns boolean
  language plpgsql as $$
declare
  changed_at timestamptz;
  is_other boolean; -- what it permits
begin
  select r.updated_at into changed_at from roles r where r.org_id = org and r.id = role for no key update;
  if not found then
    return false;
  elsif date_trunc('milliseconds', changed_at) <> (changes ->> 'seen')::timestamptz then
    return null;
  end if;
  is_other := changes ? 'policies'
              and (select jsonb_object_agg(p.name, to_jsonb(p.permissions)) from role_policies p where p.role_id = role) is distinct from
                  (select jsonb_object_agg(w.name, w.permissions) from jsonb_to_recordset(changes -> 'policies') as w (name text, permissions jsonb));
  update roles r
     set title = coalesce(changes ->> 'title', r.title), description = coalesce(changes ->> 'description', r.description),
         updated_at = svc_now()
   where r.org_id = org and r.id = role
     and (is_other or (r.title, r.description) is distinct from
                      (coalesce(changes ->> 'title', r.title), coalesce(changes ->> 'description', r.description)));
  if is_other then
    delete from role_policies p where p.role_id = role;
    insert into role_policies (role_id, name, permissions)
    select role, w.name, w.permissions from jsonb_to_recordset(changes -> 'policies') as w (name text, permissions text[]);
    perform pg_notify('svc_tokens', h.id)
       from (select a.account_id as id from account_roles a where a.role_id = role
             union select t.id from tokens t where t.role_id = role and t.revoked_at is null) h;
  end if;
  return true;
end $$;
