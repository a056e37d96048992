-- Turns and callbacks that wait until a broker has room for more of their org: a line for each org and type. They have no task and no
-- clock meanwhile, so what waits costs nothing.
create table turn_backlog (
  n          bigint generated always as identity,
  org_id     svc_id not null,
  type       text not null, -- the signal's, or 'callback'
  signal_id  svc_id not null,
  lease_id   text,    -- of the turn that waits
  callback   integer, -- the n of the callback that waits
  begins     integer, -- its number of begins: another try of it has another
  primary key (org_id, type, n),
  check (num_nulls(lease_id, callback) = 1 and num_nulls(callback, begins) in (0, 2))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);

-- How often a try was begun, whether or not it came to one: tells tries apart. `tries` counts those that were made.
alter table queue_signal_callbacks add column begins integer not null default 0;
alter type begun_callback add attribute begins int, add attribute awaited_by text, add attribute caused_by text,
                          add attribute scheduled_for timestamptz;

alter type claimed_signal add attribute awaited_by text, add attribute created_by_id text;

-- Which of signal_ids, by place, its request was told were kept: live signals with the dedupe keys of what it asked for. Null: none.
alter table queue_signal_keys add column kept boolean[];

-- Their arguments or answers are others now; no build that is kept calls them.
drop function if exists begin_turn, put_off_turn, begin_callback, settle_callback, serve_signal_claims;
