-- Rollups of workflows and of calls to webhooks, in the widths of the others. They are counted once a minute, from the mark on, up to a
-- minute ago: what is written later than a minute after its own time is left out.
create table activity_rollups (
  org_id     svc_id not null,
  width_s    integer not null,
  kind       text collate "C" not null check (kind in ('workflows', 'deliveries')),
  at         timestamptz not null,
  type       text collate "C" not null, -- of the workflows; empty: none
  succeeded  integer not null,
  failed     integer not null,
  cancelled  integer not null,
  times      jsonb not null, -- by duration_bucket: from begin to end of workflows, of calls to receivers
  times_max  double precision not null, -- seconds
  primary key (org_id, width_s, kind, at, type)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index activity_rollups_age on activity_rollups (width_s, at);

alter table stats_mark add column activity_to timestamptz not null default 'epoch';
create index webhook_attempts_at on webhook_attempts using brin (at);
