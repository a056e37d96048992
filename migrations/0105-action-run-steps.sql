-- Steps of runs that workflows begin are rows from the enqueue of their job on; those of other jobs, from the first word on them.
alter table action_run_steps
  add column name text not null default '', -- empty: as the plan says
  add column idx integer not null default 0;
