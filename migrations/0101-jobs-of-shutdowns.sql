-- What a process ran when it was ordered to shut down: what became of that is read from there.
alter table runner_process_shutdowns add column execution_ids text[] not null default '{}';
