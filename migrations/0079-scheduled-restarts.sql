-- When a process is restarted on schedule next, and when one of its agent last was, as our agents tell.

alter table runner_processes add column next_restart_at timestamptz;
alter table runner_processes add column previous_restart_at timestamptz;
