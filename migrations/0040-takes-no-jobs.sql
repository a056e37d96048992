-- Why a live process takes no jobs at present, in its own words: its disk is full.
alter table runner_processes add column takes_no_jobs text;
