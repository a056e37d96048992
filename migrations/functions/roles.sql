-- Roles of orgs.

-- Whether the org may have one more role. Two creations count one after the other.
create or replace function has_room_for_role(org text, most int) returns boolean
  language plpgsql as $$
begin
  perform 1 from orgs o where o.id = org for no key update;
  return (select count(*) < most from roles r where r.org_id = org);
end $$;
