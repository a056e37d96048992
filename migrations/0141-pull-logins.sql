-- Logins with which the clusters of an install pull its images: to which place each was brought, and by which job.

alter table registry_logins add column place text, add column runner_job_of svc_id;

-- What stood there, and since when.
create index install_deploys_applied on install_deploys (target_id, applied_at) where applied_at is not null;
