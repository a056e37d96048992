-- Events in one order for whoever follows all of an org's: by transaction and number, as those of jobs.
alter table events
  add column tx xid8 not null default pg_current_xact_id(),
  add column n bigint generated always as identity;
create index events_feed on events (org_id, tx, n);
