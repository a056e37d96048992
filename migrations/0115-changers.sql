-- Who began the changes of an install, found by one look for each of them (changers_of in functions/chains.sql): ticks of installs that an
-- earlier version provisioned ask for it. Runs of actions, of which there are many, are not in it.

create index if not exists workflows_changers on workflows (owner_id, created_by_id) where type <> 'action_workflow_run';
