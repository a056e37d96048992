-- Logins with which the clusters of an install pull its images: of what is deployed there, and by which job they came there.

alter table registry_logins add column target_id svc_id, add column runner_job_of svc_id;
