-- Which broker makes deliveries of an org's new events: one at a time, so that they come in their order. A row for each org that had some.

create table fan_outs (
  org_id       svc_id primary key references orgs (id),
  lease_id     text, -- of the broker's turn; null: nobody is at it
  lease_until  timestamptz,
  is_asked     boolean not null default false -- somebody else heard of events meanwhile
) with (fillfactor = 50);
