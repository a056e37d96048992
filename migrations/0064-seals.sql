-- What must not be readable in a dump is sealed by the broker; here are the names of the keys and what they sealed.

-- The keys that sealed something. The proof tells a key from another of the same name, and tells nothing else.
create table seal_keys (
  id          text collate "C" primary key,
  proof       bytea not null check (length(proof) = 32),
  created_at  timestamptz not null default svc_now()
);

-- Which broker seals with which key: an old key is forgotten only when no living broker uses it any more, and what was
-- stored readable is sealed once there is a key.
create table seal_brokers (
  broker_id   text primary key,
  key_id      text collate "C" not null,                -- the newest of its keys; empty: it stores readable
  changed_at  timestamptz not null default '-infinity', -- when it took that key instead of another
  seen_at     timestamptz not null default svc_now()    -- renewed each minute
);

-- What is large and sealed is sent ahead of the statement that stores it, in pieces and as bytes: as base64 in that
-- statement's JSON fifty megabytes took Postgres three seconds, and as much memory again for each step.
-- Unlogged: a piece lives for seconds. After a crash of Postgres there are none, and who sent them sends them again.
create unlogged table sent_pieces (
  upload_id   svc_id not null,
  n           int not null,
  org_id      svc_id not null,
  body        bytea not null,
  created_at  timestamptz not null default svc_now(),
  primary key (upload_id, n)
);
alter table sent_pieces alter column body set storage external;
