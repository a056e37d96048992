-- A runner's token belongs to a runner of its own org; the tokens were there before the runners.
alter table tokens add foreign key (org_id, runner_id) references runners (org_id, id);
