-- What finds the newest run of each action that finished, and the run that a job is of.
create index install_action_runs_finished on install_action_runs (install_id, action_id, id) where status = 'finished' and action_id is not null;
create index install_action_runs_by_job on install_action_runs (runner_job_id) where runner_job_id is not null;
