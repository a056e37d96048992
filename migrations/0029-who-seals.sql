-- Which broker seals with which key: an old key is forgotten only when no living broker uses it any more, and what was
-- stored readable is sealed once there is a key.

create table seal_brokers (
  broker_id   text primary key,
  key_id      text collate "C" not null,                -- the newest of its keys; empty: it stores readable
  changed_at  timestamptz not null default '-infinity', -- when it took that key instead of another
  seen_at     timestamptz not null default svc_now()    -- renewed each minute
);

-- Brokers of before may have stored what is readable still.
insert into seal_brokers (broker_id, key_id, seen_at)
select 'before', '', '-infinity' where exists (select from orgs);
