-- Until all brokers and functions are newer than schema 0117, configs may come in force of which these note no components and runbooks. Before the
-- file that notes those of before: none is missed between the two. To be dropped two releases later.

create constraint trigger apps_note_config after update of active_config_id on apps
  deferrable initially deferred for each row when (new.active_config_id is distinct from old.active_config_id)
  execute function note_active_config();
