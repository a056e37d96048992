-- Files of configs that come in many calls. Lock order: the app, the config.

-- Adds these parts, each as add_app_config_part does, or none of them. outcome: added · not-found · sealed · large
create or replace function add_app_config_parts(org text, app text, config text, parts json, most json) returns text
  language plpgsql as $$
declare
  part json;
  outcome text;
begin
  for part in select p.value from json_array_elements(parts) p loop
    outcome := add_app_config_part(org, app, config, part, most);
    if outcome <> 'added' then
      raise exception using errcode = 'P0001', message = outcome;
    end if;
  end loop;
  return outcome;
exception when raise_exception then
  return outcome;
end $$;
