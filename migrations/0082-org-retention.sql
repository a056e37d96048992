-- For how many days an org keeps what is its own; null: as long as the broker does. Never longer than that
-- (functions/org-retention.sql). The audit log of less than a week would tell nobody who shortened it.
alter table orgs
  add column retain_jobs_days integer check (retain_jobs_days between 1 and 3650),
  add column retain_logs_days integer check (retain_logs_days between 1 and 3650),
  add column retain_heart_beats_days integer check (retain_heart_beats_days between 1 and 3650),
  add column retain_health_checks_days integer check (retain_health_checks_days between 1 and 3650),
  add column retain_audit_days integer check (retain_audit_days between 7 and 3650);
create index orgs_with_retention on orgs (id)
  where coalesce(retain_jobs_days, retain_logs_days, retain_heart_beats_days, retain_health_checks_days, retain_audit_days)
        is not null;

-- The streams of an org that have old days. A first day is written with the stream's row and moves when old days are deleted, so
-- appends stay HOT. It takes the place of an index that no statement used.
create index if not exists log_streams_by_first_day on log_streams (org_id, first_day, id);
drop index log_streams_age;
