-- Lists of one job group, as of one type (0087): of a group that has few jobs, they read all of an org's.
create index if not exists runner_jobs_by_group on runner_jobs (org_id, job_group, id);
