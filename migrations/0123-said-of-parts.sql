-- What was said of an action, a component or a runbook since its last config: what records have of it besides labels. The next config in parts
-- takes it, and what came in force says all.
alter table actions add column said jsonb not null default '{}' check (jsonb_typeof(said) = 'object');
alter table components add column said jsonb not null default '{}' check (jsonb_typeof(said) = 'object');
alter table runbooks add column said jsonb not null default '{}' check (jsonb_typeof(said) = 'object');
