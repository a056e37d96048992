-- How new the plans are that an agent reads: an older one is given no job that it would not understand.

alter table runner_processes add column reads_plans int; -- null: a third party's, or an agent of before
