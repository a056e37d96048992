-- The configs of an action. By itself: on a large table it holds up syncs of configs, so that operators make it beforehand (docs/upgrades.md).

create index if not exists action_configs_by_action on action_configs (action_id, id);
