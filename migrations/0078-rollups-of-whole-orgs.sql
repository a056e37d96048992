-- Rollups of all runner groups of an org together ('all'): a chart of the org reads one row where it read one for each group. The key
-- has the runner group before the time, so that a chart reads one range. What was kept before has no such rows and is dropped.
delete from job_rollups;
delete from queue_rollups;
delete from rollup_coverage;

alter table job_rollups drop constraint job_rollups_pkey;
alter table job_rollups add primary key (org_id, width_s, runner_group_id, at, job_group, type);
alter table queue_rollups drop constraint queue_rollups_pkey;
alter table queue_rollups add primary key (org_id, width_s, runner_group_id, at, job_group);
