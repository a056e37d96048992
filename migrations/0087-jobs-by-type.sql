-- Lists of one type of jobs, which can be a rare one: without it they read all of an org's jobs.
create index if not exists runner_jobs_by_type on runner_jobs (org_id, type, id);
