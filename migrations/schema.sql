-- Written by `npm run schema`: what is here now. The numbered files say how it came to be.

create domain svc_id as text collate "C";

create type beaten_process as (
  process_id text,
  org_id text,
  runner_id text,
  process_type text,
  status text,
  is_ours boolean,
  at timestamp with time zone,
  orders json,
  settings_version bigint,
  wakes queue_key[]
);

create type begun_callback as (
  kind text,
  next_id text,
  tries integer,
  key_id text,
  contents bytea,
  created_by_id text,
  type text,
  queue_id text,
  owner_id text,
  owner_type text,
  context jsonb,
  execution_count integer,
  status text,
  status_description text,
  result_key_id text,
  result bytea,
  finished_at timestamp with time zone,
  begins integer,
  awaited_by text,
  caused_by text,
  scheduled_for timestamp with time zone
);

create type begun_turn as (
  type text,
  created_by_id text,
  execution_count integer,
  attempt text,
  job_id text,
  key_id text,
  contents bytea
);

create type claimed_job as (
  waiter integer,
  repeated boolean,
  job_id text,
  execution_id text,
  process_id text,
  holders text[],
  job_group text,
  claimed_at timestamp with time zone,
  deadline_at timestamp with time zone,
  overall_at timestamp with time zone,
  execution_count integer,
  started_at timestamp with time zone,
  org_id text,
  runner_id text,
  type text,
  operation text,
  owner_id text,
  owner_type text,
  metadata jsonb,
  queue_timeout bigint,
  available_timeout bigint,
  execution_timeout bigint,
  overall_timeout bigint,
  max_executions integer,
  stop_grace bigint,
  changes_things boolean,
  rerun_of text,
  log_stream_id text,
  created_at timestamp with time zone,
  created_by_id text,
  key_id text,
  plan text
);

create type claimed_signal as (
  waiter integer,
  repeated boolean,
  id text,
  org_id text,
  queue_id text,
  type text,
  owner_id text,
  owner_type text,
  context jsonb,
  dedupe_key text,
  emitter_id text,
  scheduled_for timestamp with time zone,
  caused_by text,
  expires_at timestamp with time zone,
  execution_count integer,
  max_executions integer,
  created_at timestamp with time zone,
  lease_id text,
  lease_until timestamp with time zone,
  key_id text,
  contents bytea,
  awaited_by text,
  created_by_id text
);

create type due_emitter as (
  id text,
  org_id text,
  queue_id text,
  version bigint,
  mode text,
  cron_schedule text,
  time_zone text,
  jitter_window bigint,
  grace bigint,
  missed_policy text,
  missed_limit integer,
  scheduled_at timestamp with time zone,
  schedule_at timestamp with time zone,
  next_tick_at timestamp with time zone,
  next_emit_at timestamp with time zone,
  paused_until timestamp with time zone,
  status_at timestamp with time zone,
  key_id text,
  contents bytea,
  now timestamp with time zone
);

create type emitted_signal as (
  emitter_id text,
  id text,
  scheduled_for timestamp with time zone,
  key_id text,
  contents text
);

create type emitter_tick as (
  id text,
  org_id text,
  queue_id text,
  version bigint,
  tick_at timestamp with time zone,
  skipped integer,
  next_tick_at timestamp with time zone,
  next_emit_at timestamp with time zone
);

create type enqueued_job as (
  request integer,
  outcome text,
  id text,
  status text,
  created_at timestamp with time zone
);

create type enqueued_signal as (
  request integer,
  outcome text,
  id text,
  status text,
  created_at timestamp with time zone
);

create type execution_report as (
  n integer,
  org_id text,
  runner_id text,
  job_id text,
  execution_id text,
  status text,
  description text,
  last_record bigint,
  give_back boolean,
  result json,
  outputs json,
  result_id text,
  outputs_id text,
  outputs_key_id text,
  outputs_fingerprint text,
  sent_outputs sent_upload
);

create type job_move as (
  job_id text,
  event text,
  execution_status text,
  ended_by text,
  description text,
  clock text,
  stop_reason text,
  n integer
);

create type log_append as (
  n integer,
  org_id text,
  stream_id text,
  version bigint,
  next_position bigint,
  sequences jsonb,
  records bigint,
  bytes bigint,
  loose_chunks integer,
  late_execution text
);

create type log_chunk as (
  n integer,
  "position" bigint,
  records integer,
  bytes integer,
  first_at timestamp with time zone,
  last_at timestamp with time zone,
  min_severity integer,
  max_severity integer,
  steps text[],
  body_from integer,
  body_length integer
);

create type log_sequence_part as (
  n integer,
  execution_id text,
  first bigint,
  part jsonb
);

create type log_stream as (
  id text,
  org_id text,
  owner_id text,
  owner_type text,
  runner_id text,
  parent_id text,
  attrs jsonb,
  created_at timestamp with time zone,
  is_open boolean,
  version bigint,
  last_write text,
  next_position bigint,
  records bigint,
  bytes bigint,
  dropped_records bigint,
  dropped_bytes bigint,
  dropped_from bigint,
  dropped_before bigint,
  loose_chunks integer,
  sequences jsonb,
  first_day date,
  last_day date,
  expired_before bigint
);

create type moved_job as (
  job_id text,
  event text,
  from_status text,
  to_status text,
  org_id text,
  runner_id text,
  job_group text,
  execution_id text,
  execution runner_job_executions,
  n integer
);

create type new_callback as (
  n integer,
  kind text,
  statuses text[],
  next_id text,
  queue_id text,
  type text,
  runs text,
  task text,
  dedupe_key text,
  expires_in bigint,
  max_executions integer,
  retry_delay bigint,
  key_id text,
  contents text
);

create type new_job as (
  request integer,
  id text,
  org_id text,
  runner_id text,
  job_group text,
  type text,
  operation text,
  owner_id text,
  owner_type text,
  metadata jsonb,
  queue_timeout bigint,
  available_timeout bigint,
  execution_timeout bigint,
  overall_timeout bigint,
  max_executions integer,
  stop_grace bigint,
  changes_things boolean,
  rerun_of text,
  log_stream_id text,
  created_by_id text,
  plan text,
  sealed_plan text,
  key_id text,
  idempotency_key text,
  fingerprint text,
  plan_names text[],
  sent_plan sent_upload,
  signal_id text,
  workflow_id text,
  workflow_step_id text,
  step_job_idx integer
);

create type new_signal as (
  request integer,
  id text,
  org_id text,
  queue_id text,
  type text,
  runs text,
  task text,
  owner_id text,
  owner_type text,
  context jsonb,
  awaited_by text,
  caused_by text,
  emitter_id text,
  scheduled_for timestamp with time zone,
  dedupe_key text,
  expires_at timestamp with time zone,
  expires_in bigint,
  max_executions integer,
  retry_delay bigint,
  key_id text,
  contents text,
  created_by_id text,
  idempotency_key text,
  fingerprint text,
  callbacks new_callback[]
);

create type queue_key as (
  runner_id text,
  job_group text
);

create type reported_result as (
  success boolean,
  error_code integer,
  error_metadata jsonb,
  composite_error jsonb,
  contents text,
  contents_display text,
  contents_gzip text,
  contents_display_gzip text,
  sealed_contents text,
  key_id text,
  fingerprint text,
  sent_contents sent_upload
);

create type reported_signal as (
  n integer,
  outcome text,
  status text,
  lease_until timestamp with time zone
);

create type rollup_labels as (
  org_id text,
  day timestamp with time zone,
  runner_group_id text,
  job_group text,
  type text
);

create type runner_change as (
  outcome text,
  wakes queue_key[],
  process_ids text[],
  token_ids text[]
);

create type sent_upload as (
  id text,
  bytes integer
);

create type settled_emitter as (
  id text,
  outcome text,
  emitted integer,
  emitted_at timestamp with time zone
);

create type signal_move as (
  signal_id text,
  event text,
  description text,
  retry_in bigint,
  key_id text,
  result text,
  n integer
);

create type signal_report as (
  n integer,
  org_id text,
  signal_id text,
  lease_id text,
  event text,
  description text,
  retry_in bigint,
  lease bigint,
  key_id text,
  result text
);

create type swept as (
  due integer,
  wakes queue_key[],
  org_ids text[],
  process_ids text[]
);

create type swept_signals as (
  due integer,
  queue_ids text[]
);

create type workspace_block as (
  org_id text,
  workspace_id text,
  job_id text,
  kind text,
  why text
);

create type workspace_outcome as (
  outcome text,
  holder jsonb,
  revision integer
);

create table account_records (
  id svc_id not null,
  account_id svc_id not null,
  kind text not null,
  name text not null,
  contents jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint account_records_pkey PRIMARY KEY (id),
  constraint account_records_name UNIQUE (account_id, kind, name),
  constraint account_records_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint account_records_contents_check CHECK ((jsonb_typeof(contents) = 'object'::text)),
  constraint account_records_kind_check CHECK ((kind = ANY (ARRAY['journey'::text, 'waitlist'::text])))
);

create table account_roles (
  account_id svc_id not null,
  org_id svc_id not null,
  role_id svc_id not null,
  created_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint account_roles_pkey PRIMARY KEY (account_id, org_id, role_id),
  constraint account_roles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint account_roles_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id) ON DELETE CASCADE,
  constraint account_roles_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id)
);
CREATE INDEX account_roles_by_org ON public.account_roles USING btree (org_id, account_id);
CREATE INDEX account_roles_by_role ON public.account_roles USING btree (role_id);
CREATE TRIGGER account_role_fits BEFORE INSERT OR UPDATE ON public.account_roles FOR EACH ROW EXECUTE FUNCTION account_role_fits();
CREATE TRIGGER account_roles_changed AFTER INSERT OR DELETE OR UPDATE ON public.account_roles FOR EACH ROW EXECUTE FUNCTION account_roles_changed();

create table accounts (
  id svc_id not null,
  account_type text not null,
  name text not null default ''::text,
  email text not null default ''::text,
  subject text not null default ''::text,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_account_type_check CHECK ((account_type = ANY (ARRAY['auth'::text, 'auth0'::text, 'service'::text, 'canary'::text, 'integration'::text])))
);
CREATE UNIQUE INDEX accounts_subject ON public.accounts USING btree (account_type, subject) WHERE (subject <> ''::text);

create table action_configs (
  id svc_id not null,
  org_id svc_id not null,
  action_id svc_id not null,
  app_config_id svc_id not null,
  created_at timestamp with time zone not null,
  constraint action_configs_pkey PRIMARY KEY (org_id, id),
  constraint action_configs_org_id_action_id_fkey FOREIGN KEY (org_id, action_id) REFERENCES actions(org_id, id),
  constraint action_configs_org_id_app_config_id_fkey FOREIGN KEY (org_id, app_config_id) REFERENCES app_configs(org_id, id)
);
CREATE INDEX action_configs_by_action ON public.action_configs USING btree (action_id, id);
CREATE UNIQUE INDEX action_configs_of ON public.action_configs USING btree (app_config_id, action_id);

create table action_run_steps (
  runner_job_id svc_id not null,
  step_id text not null,
  org_id svc_id not null,
  status text not null,
  execution_duration bigint not null default 0,
  updated_at timestamp with time zone not null default svc_now(),
  name text not null default ''::text,
  idx integer not null default 0,
  constraint action_run_steps_pkey PRIMARY KEY (runner_job_id, step_id),
  constraint action_run_steps_org_id_runner_job_id_fkey FOREIGN KEY (org_id, runner_job_id) REFERENCES runner_jobs(org_id, id) ON DELETE CASCADE,
  constraint action_run_steps_execution_duration_check CHECK ((execution_duration >= 0)),
  constraint action_run_steps_status_check CHECK ((status = ANY (ARRAY['finished'::text, 'pending'::text, 'in-progress'::text, 'timed-out'::text, 'error'::text])))
);

create table actions (
  id svc_id not null,
  org_id svc_id not null,
  app_id svc_id not null,
  name text not null,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  labels jsonb not null default '{}'::jsonb,
  config_labels jsonb not null default '{}'::jsonb,
  deleted_at timestamp with time zone,
  updated_at timestamp with time zone,
  said jsonb not null default '{}'::jsonb,
  constraint actions_pkey PRIMARY KEY (org_id, id),
  constraint actions_org_id_app_id_fkey FOREIGN KEY (org_id, app_id) REFERENCES apps(org_id, id),
  constraint actions_config_labels_check CHECK ((jsonb_typeof(config_labels) = 'object'::text)),
  constraint actions_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text)),
  constraint actions_said_check CHECK ((jsonb_typeof(said) = 'object'::text))
);
CREATE INDEX actions_by_name ON public.actions USING btree (org_id, replace(name, '-'::text, '_'::text)) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX actions_name ON public.actions USING btree (app_id, replace(name, '-'::text, '_'::text)) WHERE (deleted_at IS NULL);

create table activity_rollups (
  org_id svc_id not null,
  width_s integer not null,
  kind text collate "C" not null,
  at timestamp with time zone not null,
  type text collate "C" not null,
  succeeded integer not null,
  failed integer not null,
  cancelled integer not null,
  times jsonb not null,
  times_max double precision not null,
  constraint activity_rollups_pkey PRIMARY KEY (org_id, width_s, kind, at, type),
  constraint activity_rollups_kind_check CHECK ((kind = ANY (ARRAY['workflows'::text, 'deliveries'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX activity_rollups_age ON public.activity_rollups USING btree (width_s, at);

create table app_config_parts (
  org_id svc_id not null,
  app_config_id svc_id not null,
  file text not null,
  value text not null,
  constraint app_config_parts_pkey PRIMARY KEY (org_id, app_config_id, file),
  constraint app_config_parts_org_id_app_config_id_fkey FOREIGN KEY (org_id, app_config_id) REFERENCES app_configs(org_id, id)
);

create table app_config_sources (
  org_id svc_id not null,
  app_config_id svc_id not null,
  component text not null,
  source_id svc_id not null,
  constraint app_config_sources_pkey PRIMARY KEY (org_id, app_config_id, component),
  constraint app_config_sources_org_id_app_config_id_fkey FOREIGN KEY (org_id, app_config_id) REFERENCES app_configs(org_id, id) ON DELETE CASCADE,
  constraint app_config_sources_org_id_source_id_fkey FOREIGN KEY (org_id, source_id) REFERENCES source_blobs(org_id, id)
);
CREATE INDEX app_config_sources_of ON public.app_config_sources USING btree (source_id);

create table app_configs (
  id svc_id not null,
  org_id svc_id not null,
  app_id svc_id not null,
  version integer not null,
  status text not null,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null,
  previous_id svc_id,
  checksum text not null,
  cli_version text not null default ''::text,
  document text not null,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  plan_only boolean not null default false,
  parts_revision integer not null default 0,
  errors jsonb,
  chain text[],
  brands text[] not null default '{}'::text[],
  remarks json,
  client_state text not null default ''::text,
  constraint app_configs_pkey PRIMARY KEY (org_id, id),
  constraint app_configs_org_id_app_id_fkey FOREIGN KEY (org_id, app_id) REFERENCES apps(org_id, id),
  constraint app_configs_status_check CHECK ((status = ANY (ARRAY['active'::text, 'pending'::text, 'syncing'::text, 'error'::text, 'outdated'::text])))
);
CREATE UNIQUE INDEX app_configs_active ON public.app_configs USING btree (app_id) WHERE (status = 'active'::text);
CREATE INDEX app_configs_brands ON public.app_configs USING btree (app_id) WHERE (brands <> '{}'::text[]);
CREATE INDEX app_configs_open ON public.app_configs USING btree (created_at) WHERE (status = ANY (ARRAY['pending'::text, 'syncing'::text]));
CREATE UNIQUE INDEX app_configs_version ON public.app_configs USING btree (app_id, version);

create table app_secrets (
  id svc_id not null,
  org_id svc_id not null,
  app_id svc_id not null,
  name text not null,
  key_id text,
  value bytea not null,
  length integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint app_secrets_pkey PRIMARY KEY (id),
  constraint app_secrets_org_id_app_id_fkey FOREIGN KEY (org_id, app_id) REFERENCES apps(org_id, id),
  constraint app_secrets_name_check CHECK ((name ~ '^[a-z][a-z0-9_-]{0,62}$'::text))
);
CREATE UNIQUE INDEX app_secrets_name ON public.app_secrets USING btree (org_id, app_id, replace(name, '-'::text, '_'::text));

create table apps (
  id svc_id not null,
  org_id svc_id not null,
  name text not null,
  display_name text not null default ''::text,
  description text not null default ''::text,
  config_repo text not null default ''::text,
  config_directory text not null default ''::text,
  default_labels jsonb not null default '{}'::jsonb,
  label_colors jsonb not null default '{}'::jsonb,
  links jsonb not null default '{}'::jsonb,
  runner_type text,
  active_config_id svc_id,
  config_count integer not null default 0,
  version bigint not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  deleted_at timestamp with time zone,
  install_count integer not null default 0,
  constraint apps_pkey PRIMARY KEY (org_id, id),
  constraint apps_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint apps_name_check CHECK ((name ~ '^[a-z][a-z0-9_-]{0,62}$'::text))
);
CREATE UNIQUE INDEX apps_name ON public.apps USING btree (org_id, replace(name, '-'::text, '_'::text)) WHERE (deleted_at IS NULL);
CREATE CONSTRAINT TRIGGER apps_note_config AFTER UPDATE OF active_config_id ON public.apps DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.active_config_id)::text IS DISTINCT FROM (old.active_config_id)::text)) EXECUTE FUNCTION note_active_config();

create table artifact_deletions (
  org_id svc_id not null,
  build_id svc_id not null,
  app_id svc_id not null,
  component_id svc_id,
  repository text not null,
  tag text not null,
  digest text,
  size bigint not null default 0,
  tries integer not null default 0,
  due_at timestamp with time zone not null,
  taken_until timestamp with time zone,
  begun_at timestamp with time zone,
  acted_at timestamp with time zone,
  fault text not null default ''::text,
  outcome text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint artifact_deletions_pkey PRIMARY KEY (org_id, build_id),
  constraint artifact_deletions_org_id_app_id_fkey FOREIGN KEY (org_id, app_id) REFERENCES apps(org_id, id),
  constraint artifact_deletions_check CHECK (((outcome IS NULL) = (ended_at IS NULL))),
  constraint artifact_deletions_outcome_check CHECK ((outcome = ANY (ARRAY['deleted'::text, 'gone'::text, 'kept'::text, 'left'::text])))
);
CREATE INDEX artifact_deletions_acted ON public.artifact_deletions USING btree (app_id, acted_at);
CREATE INDEX artifact_deletions_begun ON public.artifact_deletions USING btree (app_id) WHERE (begun_at IS NOT NULL);
CREATE INDEX artifact_deletions_due ON public.artifact_deletions USING btree (org_id, due_at) WHERE (ended_at IS NULL);
CREATE INDEX artifact_deletions_ended ON public.artifact_deletions USING btree (ended_at) WHERE (ended_at IS NOT NULL);

create table audit_asked (
  id svc_id not null,
  org_id svc_id not null,
  asked_at timestamp with time zone not null,
  entry jsonb not null,
  constraint audit_asked_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_asked_age ON public.audit_asked USING btree (asked_at);

create table audit_events (
  id svc_id not null,
  org_id svc_id not null,
  at timestamp with time zone not null,
  started_at timestamp with time zone not null,
  action text not null,
  permission text not null default ''::text,
  outcome text not null,
  status integer,
  code text not null default ''::text,
  count bigint not null default 1,
  actor_id text not null,
  actor_name text not null default ''::text,
  account_id text not null default ''::text,
  token_id text not null default ''::text,
  token_hint text not null default ''::text,
  target_type text not null default ''::text,
  target_id text not null default ''::text,
  parent_id text not null default ''::text,
  ip text not null default ''::text,
  user_agent text not null default ''::text,
  request_id text not null default ''::text,
  reason text not null default ''::text,
  changes jsonb,
  constraint audit_events_pkey PRIMARY KEY (org_id, at, id),
  constraint audit_events_changes_check CHECK ((length((changes)::text) <= 4000)),
  constraint audit_events_count_check CHECK ((count > 0)),
  constraint audit_events_outcome_check CHECK ((outcome = ANY (ARRAY['allowed'::text, 'refused'::text, 'failed'::text, 'unknown'::text]))),
  constraint audit_events_reason_check CHECK ((length(reason) <= 500)),
  constraint audit_events_user_agent_check CHECK ((length(user_agent) <= 200))
) partition by RANGE (at);
CREATE INDEX audit_events_by_actor ON ONLY public.audit_events USING btree (org_id, actor_id, at, id);
CREATE INDEX audit_events_by_parent ON ONLY public.audit_events USING btree (org_id, parent_id, at, id) WHERE (parent_id <> ''::text);
CREATE INDEX audit_events_by_target ON ONLY public.audit_events USING btree (org_id, target_id, at, id) WHERE (target_id <> ''::text);
CREATE INDEX audit_events_by_token ON ONLY public.audit_events USING btree (org_id, token_id, at, id) WHERE (token_id <> ''::text);
CREATE TRIGGER audit_events_stay BEFORE DELETE OR UPDATE ON public.audit_events FOR EACH ROW EXECUTE FUNCTION keep_audit_event();
CREATE TRIGGER audit_events_stay_all BEFORE TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_event();

create table broker_listening (
  singleton boolean not null default true,
  marked_at timestamp with time zone not null default svc_now(),
  gap_from timestamp with time zone not null default '-infinity'::timestamp with time zone,
  resumed_at timestamp with time zone not null default svc_now(),
  constraint broker_listening_pkey PRIMARY KEY (singleton),
  constraint broker_listening_singleton_check CHECK (singleton)
);

create table component_builds (
  id svc_id not null,
  org_id svc_id not null,
  app_id svc_id not null,
  component_id svc_id,
  component_config_id svc_id,
  app_config_id svc_id not null,
  component_name text not null,
  component_type text not null,
  workflow_id svc_id not null,
  workflow_step_id svc_id,
  runner_job_id svc_id,
  status text not null,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null,
  composite_error jsonb,
  git_ref text not null default ''::text,
  checksum text not null,
  artifact jsonb not null default '{}'::jsonb,
  no_op boolean not null default false,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  created_by_id text not null default ''::text,
  is_by_sync boolean not null default false,
  is_forced boolean not null default false,
  expires_at timestamp with time zone,
  looked_digest text,
  constraint component_builds_pkey PRIMARY KEY (org_id, id),
  constraint component_builds_org_id_component_config_id_fkey FOREIGN KEY (org_id, component_config_id) REFERENCES component_configs(org_id, id),
  constraint component_builds_org_id_component_id_fkey FOREIGN KEY (org_id, component_id) REFERENCES components(org_id, id),
  constraint component_builds_are_of CHECK (((component_id IS NULL) = (component_config_id IS NULL))),
  constraint component_builds_artifact_check CHECK ((jsonb_typeof(artifact) = 'object'::text)),
  constraint component_builds_status_check CHECK ((status = ANY (ARRAY['planning'::text, 'building'::text, 'active'::text, 'error'::text, 'cancelled'::text, 'policy_failed'::text, 'deleting'::text])))
);
CREATE INDEX component_builds_active ON public.component_builds USING btree (component_id, id) WHERE (status = 'active'::text);
CREATE INDEX component_builds_by_app ON public.component_builds USING btree (app_id, id);
CREATE INDEX component_builds_by_job ON public.component_builds USING btree (runner_job_id) WHERE (runner_job_id IS NOT NULL);
CREATE INDEX component_builds_by_workflow ON public.component_builds USING btree (workflow_id);
CREATE INDEX component_builds_expiring ON public.component_builds USING btree (app_id, id) WHERE (expires_at IS NOT NULL);
CREATE INDEX component_builds_looked ON public.component_builds USING btree (component_id, looked_digest) WHERE (looked_digest IS NOT NULL);
CREATE INDEX component_builds_of ON public.component_builds USING btree (component_id, id);
CREATE INDEX component_builds_of_sandbox ON public.component_builds USING btree (app_id, id) WHERE (component_id IS NULL);
CREATE INDEX component_builds_open ON public.component_builds USING btree (org_id, id) WHERE (status = ANY (ARRAY['planning'::text, 'building'::text]));
CREATE INDEX component_builds_open_of ON public.component_builds USING btree (app_id, COALESCE((component_id)::text, ''::text)) WHERE (status = ANY (ARRAY['planning'::text, 'building'::text]));

create table component_configs (
  id svc_id not null,
  org_id svc_id not null,
  component_id svc_id not null,
  app_config_id svc_id not null,
  name text not null,
  type text not null,
  created_at timestamp with time zone not null,
  constraint component_configs_pkey PRIMARY KEY (org_id, id),
  constraint component_configs_org_id_app_config_id_fkey FOREIGN KEY (org_id, app_config_id) REFERENCES app_configs(org_id, id),
  constraint component_configs_org_id_component_id_fkey FOREIGN KEY (org_id, component_id) REFERENCES components(org_id, id)
);
CREATE INDEX component_configs_by_component ON public.component_configs USING btree (component_id, id);
CREATE UNIQUE INDEX component_configs_of ON public.component_configs USING btree (app_config_id, component_id);

create table components (
  id svc_id not null,
  org_id svc_id not null,
  app_id svc_id not null,
  name text not null,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  deleted_at timestamp with time zone,
  labels jsonb not null default '{}'::jsonb,
  config_labels jsonb not null default '{}'::jsonb,
  updated_at timestamp with time zone,
  said jsonb not null default '{}'::jsonb,
  constraint components_pkey PRIMARY KEY (org_id, id),
  constraint components_org_id_app_id_fkey FOREIGN KEY (org_id, app_id) REFERENCES apps(org_id, id),
  constraint components_config_labels_check CHECK ((jsonb_typeof(config_labels) = 'object'::text)),
  constraint components_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text)),
  constraint components_said_check CHECK ((jsonb_typeof(said) = 'object'::text))
);
CREATE INDEX components_by_name ON public.components USING btree (org_id, replace(name, '-'::text, '_'::text)) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX components_name ON public.components USING btree (app_id, replace(name, '-'::text, '_'::text)) WHERE (deleted_at IS NULL);

create table dashboard_sessions (
  id svc_id not null,
  org_id svc_id not null,
  token_id svc_id not null,
  purpose text not null,
  digest bytea not null,
  shown_org_id svc_id not null,
  user_agent_digest bytea,
  user_agent text not null default ''::text,
  address text not null default ''::text,
  created_at timestamp with time zone not null default svc_now(),
  expires_at timestamp with time zone not null,
  constraint dashboard_sessions_pkey PRIMARY KEY (id),
  constraint dashboard_sessions_digest_key UNIQUE (digest),
  constraint dashboard_sessions_org_id_token_id_fkey FOREIGN KEY (org_id, token_id) REFERENCES tokens(org_id, id) ON DELETE CASCADE,
  constraint dashboard_sessions_shown_org_id_fkey FOREIGN KEY (shown_org_id) REFERENCES orgs(id),
  constraint dashboard_sessions_address_check CHECK ((length(address) <= 64)),
  constraint dashboard_sessions_check CHECK (((purpose = 'session'::text) = (user_agent_digest IS NOT NULL))),
  constraint dashboard_sessions_digest_check CHECK ((length(digest) = 32)),
  constraint dashboard_sessions_purpose_check CHECK ((purpose = ANY (ARRAY['link'::text, 'session'::text]))),
  constraint dashboard_sessions_user_agent_check CHECK ((length(user_agent) <= 200)),
  constraint dashboard_sessions_user_agent_digest_check CHECK ((length(user_agent_digest) = 32))
);
CREATE INDEX dashboard_sessions_by_token ON public.dashboard_sessions USING btree (token_id, created_at);
CREATE INDEX dashboard_sessions_due ON public.dashboard_sessions USING btree (expires_at);
CREATE TRIGGER dashboard_sessions_deleted AFTER DELETE ON public.dashboard_sessions FOR EACH ROW EXECUTE FUNCTION tokens_changed();
CREATE TRIGGER dashboard_sessions_moved AFTER UPDATE OF shown_org_id ON public.dashboard_sessions FOR EACH ROW EXECUTE FUNCTION tokens_changed();

create table event_sequences (
  workflow_id svc_id not null,
  last_seq bigint not null,
  last_at timestamp with time zone not null,
  constraint event_sequences_pkey PRIMARY KEY (workflow_id)
);
CREATE INDEX event_sequences_age ON public.event_sequences USING btree (last_at);

create table events (
  id svc_id not null,
  org_id svc_id not null,
  kind text not null,
  transition text not null,
  workflow_id svc_id not null,
  workflow_type text not null,
  step_id svc_id,
  seq bigint not null,
  slugs text[] not null,
  entities jsonb not null,
  data jsonb not null,
  body text,
  created_at timestamp with time zone not null,
  fanned_out_at timestamp with time zone,
  tx xid8 not null default pg_current_xact_id(),
  n bigint not null generated always as identity,
  install_id svc_id,
  constraint events_pkey PRIMARY KEY (org_id, id),
  constraint events_workflow_id_seq_key UNIQUE (workflow_id, seq),
  constraint events_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint events_check CHECK (((step_id IS NULL) = (kind = 'workflow'::text))),
  constraint events_check1 CHECK (((body IS NULL) OR (fanned_out_at IS NOT NULL))),
  constraint events_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
  constraint events_entities_check CHECK ((jsonb_typeof(entities) = 'array'::text)),
  constraint events_kind_check CHECK ((kind = ANY (ARRAY['workflow'::text, 'workflow_step'::text]))),
  constraint events_seq_check CHECK ((seq > 0)),
  constraint events_transition_check CHECK ((transition = ANY (ARRAY['started'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'requested'::text, 'approved'::text, 'rejected'::text, 'detected'::text])))
);
CREATE INDEX events_age ON public.events USING btree (created_at);
CREATE INDEX events_feed ON public.events USING btree (org_id, tx, n);
CREATE INDEX events_not_fanned_out ON public.events USING btree (org_id, workflow_id, seq) WHERE (fanned_out_at IS NULL);
CREATE INDEX events_of_install ON public.events USING btree (install_id, n) WHERE ((install_id IS NOT NULL) AND (kind = 'workflow'::text));

create table fan_outs (
  org_id svc_id not null,
  lease_id text,
  lease_until timestamp with time zone,
  is_asked boolean not null default false,
  constraint fan_outs_pkey PRIMARY KEY (org_id),
  constraint fan_outs_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id)
) with (fillfactor=50);

create table full_orgs (
  org_id svc_id not null,
  bytes bigint not null,
  since timestamp with time zone not null default svc_now(),
  constraint full_orgs_pkey PRIMARY KEY (org_id),
  constraint full_orgs_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id) ON DELETE CASCADE
);

create table helm_charts (
  id svc_id not null,
  org_id svc_id not null,
  owner_id text not null default ''::text,
  owner_type text not null default ''::text,
  created_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint helm_charts_pkey PRIMARY KEY (org_id, id),
  constraint helm_charts_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id)
);
CREATE INDEX helm_charts_by_owner ON public.helm_charts USING btree (org_id, owner_id, id);

create table helm_releases (
  id svc_id not null,
  org_id svc_id not null,
  helm_chart_id svc_id not null,
  namespace text collate "C" not null,
  key text collate "C" not null,
  name text not null,
  version integer not null,
  status text not null,
  labels jsonb not null,
  key_id text,
  contents bytea not null,
  size_bytes integer not null,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint helm_releases_pkey PRIMARY KEY (id),
  constraint helm_releases_helm_chart_id_namespace_key_key UNIQUE (helm_chart_id, namespace, key),
  constraint helm_releases_org_id_helm_chart_id_fkey FOREIGN KEY (org_id, helm_chart_id) REFERENCES helm_charts(org_id, id)
);
alter table helm_releases alter column contents set storage external;

create table idempotency_keys (
  org_id svc_id not null,
  key text not null,
  operation_id text not null,
  fingerprint bytea not null,
  status integer,
  body text,
  locked_at timestamp with time zone not null default svc_now(),
  expires_at timestamp with time zone not null default (svc_now() + '24:00:00'::interval),
  created_at timestamp with time zone not null default svc_now(),
  constraint idempotency_keys_pkey PRIMARY KEY (org_id, key),
  constraint idempotency_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id) ON DELETE CASCADE,
  constraint idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);
CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at);

create table image_updates (
  component_id svc_id not null,
  org_id svc_id not null,
  app_id svc_id not null,
  policy text not null,
  checksum text not null,
  runner_job_id svc_id,
  status text not null default 'pending'::text,
  detail text not null default ''::text,
  tag text not null default ''::text,
  digest text not null default ''::text,
  build_id svc_id,
  looked_at timestamp with time zone,
  constraint image_updates_pkey PRIMARY KEY (org_id, component_id),
  constraint image_updates_org_id_component_id_fkey FOREIGN KEY (org_id, component_id) REFERENCES components(org_id, id),
  constraint image_updates_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'current'::text, 'new'::text, 'tried'::text, 'failed'::text])))
);
CREATE INDEX image_updates_by_app ON public.image_updates USING btree (app_id);
CREATE INDEX image_updates_looking ON public.image_updates USING btree (runner_job_id) WHERE (runner_job_id IS NOT NULL);

create table install_action_runs (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  action_id svc_id,
  action_config_id svc_id,
  name text not null,
  workflow_id svc_id not null,
  workflow_step_id svc_id,
  runner_job_id svc_id,
  trigger_type text not null,
  triggered_by_id text not null default ''::text,
  status text not null,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null,
  role text not null default ''::text,
  timeout bigint not null,
  composite_error jsonb,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  created_by_id text not null default ''::text,
  token_digest bytea,
  constraint install_action_runs_pkey PRIMARY KEY (org_id, id),
  constraint install_action_runs_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id),
  constraint install_action_runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'in-progress'::text, 'finished'::text, 'error'::text, 'timed-out'::text, 'cancelled'::text, 'retried'::text]))),
  constraint install_action_runs_token_digest_check CHECK ((length(token_digest) = 32))
);
CREATE INDEX install_action_runs_by_action ON public.install_action_runs USING btree (install_id, action_id, id);
CREATE INDEX install_action_runs_by_install ON public.install_action_runs USING btree (install_id, id);
CREATE INDEX install_action_runs_by_job ON public.install_action_runs USING btree (runner_job_id) WHERE (runner_job_id IS NOT NULL);
CREATE INDEX install_action_runs_by_workflow ON public.install_action_runs USING btree (workflow_id);
CREATE INDEX install_action_runs_finished ON public.install_action_runs USING btree (install_id, action_id, id) WHERE ((status = 'finished'::text) AND (action_id IS NOT NULL));

create table install_app_configs (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  old_app_config_id svc_id,
  new_app_config_id svc_id not null,
  workflow_id svc_id,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint install_app_configs_pkey PRIMARY KEY (id),
  constraint install_app_configs_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id)
);
CREATE INDEX install_app_configs_by_install ON public.install_app_configs USING btree (install_id, id);

create table install_components (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  component_id svc_id,
  name text not null,
  workspace_id svc_id not null,
  chart_id svc_id not null,
  status text not null default ''::text,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null,
  deployed_id svc_id,
  touched_id svc_id,
  latest_id svc_id,
  drift jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint install_components_pkey PRIMARY KEY (org_id, id),
  constraint install_components_org_id_component_id_fkey FOREIGN KEY (org_id, component_id) REFERENCES components(org_id, id),
  constraint install_components_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id),
  constraint install_components_drift_check CHECK ((jsonb_typeof(drift) = 'object'::text))
);
CREATE INDEX install_components_by_component ON public.install_components USING btree (component_id) WHERE (component_id IS NOT NULL);
CREATE INDEX install_components_drifted ON public.install_components USING btree (org_id, install_id) WHERE (drift IS NOT NULL);
CREATE INDEX install_components_listed ON public.install_components USING btree (org_id, install_id, id);
CREATE UNIQUE INDEX install_components_of ON public.install_components USING btree (install_id, COALESCE((component_id)::text, ''::text));

create table install_configs (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  approval_option text,
  component_toggles jsonb not null default '{}'::jsonb,
  labels jsonb not null default '{}'::jsonb,
  telemetry_enabled boolean,
  version bigint not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint install_configs_pkey PRIMARY KEY (org_id, id),
  constraint install_configs_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id),
  constraint install_configs_approval_option_check CHECK ((approval_option = ANY (ARRAY['prompt'::text, 'approve-all'::text]))),
  constraint install_configs_component_toggles_check CHECK ((jsonb_typeof(component_toggles) = 'object'::text)),
  constraint install_configs_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text))
);
CREATE INDEX install_configs_of ON public.install_configs USING btree (install_id, id);

create table install_deploys (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  target_id svc_id not null,
  component_id svc_id,
  component_name text not null default ''::text,
  component_type text not null,
  type text not null,
  app_config_id svc_id,
  build_id svc_id,
  artifact jsonb not null default '{}'::jsonb,
  workflow_id svc_id not null,
  workflow_step_id svc_id,
  plan_job_id svc_id,
  apply_job_id svc_id,
  outputs_job_id svc_id,
  status text not null,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null,
  composite_error jsonb,
  plan_only boolean not null default false,
  role text not null default ''::text,
  changes jsonb not null default '{}'::jsonb,
  values_digest text not null default ''::text,
  revision integer,
  planned_at timestamp with time zone,
  applied_at timestamp with time zone,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  created_by_id text not null default ''::text,
  constraint install_deploys_pkey PRIMARY KEY (org_id, id),
  constraint install_deploys_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id),
  constraint install_deploys_org_id_target_id_fkey FOREIGN KEY (org_id, target_id) REFERENCES install_components(org_id, id),
  constraint install_deploys_artifact_check CHECK ((jsonb_typeof(artifact) = 'object'::text)),
  constraint install_deploys_changes_check CHECK ((jsonb_typeof(changes) = 'object'::text)),
  constraint install_deploys_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'queued'::text, 'planning'::text, 'approval-awaiting'::text, 'applying'::text, 'active'::text, 'inactive'::text, 'noop'::text, 'auto-skipped'::text, 'no-drift'::text, 'drifted'::text, 'approval-denied'::text, 'discarded'::text, 'error'::text, 'cancelled'::text]))),
  constraint install_deploys_type_check CHECK ((type = ANY (ARRAY['apply'::text, 'teardown'::text, 'sync-image'::text, 'recover'::text, 'provision'::text, 'reprovision'::text, 'deprovision'::text])))
);
CREATE INDEX install_deploys_applied ON public.install_deploys USING btree (target_id, applied_at) WHERE (applied_at IS NOT NULL);
CREATE INDEX install_deploys_by_build ON public.install_deploys USING btree (build_id) WHERE (build_id IS NOT NULL);
CREATE INDEX install_deploys_by_outputs ON public.install_deploys USING btree (outputs_job_id) WHERE (outputs_job_id IS NOT NULL);
CREATE INDEX install_deploys_by_target ON public.install_deploys USING btree (target_id, id);
CREATE INDEX install_deploys_by_workflow ON public.install_deploys USING btree (workflow_id);
CREATE INDEX install_deploys_listed ON public.install_deploys USING btree (org_id, install_id, id);
CREATE UNIQUE INDEX install_deploys_working ON public.install_deploys USING btree (target_id) WHERE (status = ANY (ARRAY['planning'::text, 'applying'::text]));

create table install_inputs (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  version integer not null,
  app_config_id svc_id not null,
  key_id text,
  contents bytea not null,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint install_inputs_pkey PRIMARY KEY (id),
  constraint install_inputs_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id)
);
CREATE UNIQUE INDEX install_inputs_version ON public.install_inputs USING btree (install_id, version);

create table install_role_usages (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  runner_job_id svc_id not null,
  workflow_id svc_id not null,
  workflow_step_id svc_id not null,
  role_name text not null default ''::text,
  role_source text not null,
  trace jsonb not null,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint install_role_usages_pkey PRIMARY KEY (org_id, runner_job_id),
  constraint install_role_usages_org_id_runner_job_id_fkey FOREIGN KEY (org_id, runner_job_id) REFERENCES runner_jobs(org_id, id) ON DELETE CASCADE,
  constraint install_role_usages_trace_check CHECK ((jsonb_typeof(trace) = 'array'::text))
);
CREATE INDEX install_role_usages_listed ON public.install_role_usages USING btree (install_id, id);

create table install_secret_syncs (
  org_id svc_id not null,
  install_id svc_id not null,
  runner_job_id svc_id not null,
  secrets jsonb not null,
  synced_at timestamp with time zone not null,
  constraint install_secret_syncs_pkey PRIMARY KEY (install_id),
  constraint install_secret_syncs_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id) ON DELETE CASCADE,
  constraint install_secret_syncs_secrets_check CHECK ((jsonb_typeof(secrets) = 'object'::text))
);

create table install_secrets (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  name text not null,
  arn text not null default ''::text,
  gcp_secret_name text not null default ''::text,
  azure_key_vault_secret_id text not null default ''::text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint install_secrets_pkey PRIMARY KEY (id),
  constraint install_secrets_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id) ON DELETE CASCADE,
  constraint install_secrets_check CHECK ((num_nulls(NULLIF(arn, ''::text), NULLIF(gcp_secret_name, ''::text), NULLIF(azure_key_vault_secret_id, ''::text)) = 2)),
  constraint install_secrets_name_check CHECK ((name ~ '^[a-z][a-z0-9_-]{0,62}$'::text))
);
CREATE UNIQUE INDEX install_secrets_name ON public.install_secrets USING btree (org_id, install_id, replace(name, '-'::text, '_'::text));

create table install_states (
  id svc_id not null,
  org_id svc_id not null,
  install_id svc_id not null,
  version integer not null,
  key_id text,
  contents bytea not null,
  checksum text not null,
  triggered_by_id text not null default ''::text,
  triggered_by_type text not null default ''::text,
  created_at timestamp with time zone not null,
  constraint install_states_pkey PRIMARY KEY (id),
  constraint install_states_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id)
);
CREATE UNIQUE INDEX install_states_version ON public.install_states USING btree (install_id, version);

create table installs (
  id svc_id not null,
  org_id svc_id not null,
  app_id svc_id not null,
  name text not null,
  install_number integer not null,
  cloud_platform text not null,
  cloud_account jsonb not null default '{}'::jsonb,
  labels jsonb not null default '{}'::jsonb,
  app_default_labels jsonb not null default '{}'::jsonb,
  metadata jsonb not null default '{}'::jsonb,
  approval_option text not null default 'prompt'::text,
  sandbox_mode boolean,
  lifecycle_phase text not null default 'created'::text,
  phase_at timestamp with time zone not null,
  phase_workflow_id svc_id,
  applied_config_id svc_id,
  runner_group_id svc_id not null,
  runner_id svc_id not null,
  has_own_runner boolean not null default true,
  inputs_version integer not null default 1,
  state_version integer not null default 0,
  version bigint not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  deleted_at timestamp with time zone,
  health jsonb not null default '{}'::jsonb,
  label_templates jsonb not null default '{}'::jsonb,
  expected_account text not null default ''::text,
  applied_chain text[],
  approve_all_chain text[],
  constraint installs_pkey PRIMARY KEY (org_id, id),
  constraint installs_org_id_app_id_fkey FOREIGN KEY (org_id, app_id) REFERENCES apps(org_id, id),
  constraint installs_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint installs_approval_option_check CHECK ((approval_option = ANY (ARRAY['prompt'::text, 'approve-all'::text]))),
  constraint installs_cloud_account_check CHECK ((jsonb_typeof(cloud_account) = 'object'::text)),
  constraint installs_cloud_platform_check CHECK ((cloud_platform = ANY (ARRAY['aws'::text, 'azure'::text, 'gcp'::text, 'unknown'::text]))),
  constraint installs_health_check CHECK ((jsonb_typeof(health) = 'object'::text)),
  constraint installs_label_templates_check CHECK ((jsonb_typeof(label_templates) = 'object'::text)),
  constraint installs_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text)),
  constraint installs_lifecycle_phase_check CHECK ((lifecycle_phase = ANY (ARRAY['created'::text, 'awaiting-stack'::text, 'provisioning'::text, 'active'::text, 'updating'::text, 'degraded'::text, 'deprovisioning'::text, 'deprovisioned'::text, 'error'::text]))),
  constraint installs_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint installs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 63)))
);
CREATE INDEX installs_by_name ON public.installs USING btree (org_id, replace(name, '-'::text, '_'::text)) WHERE (deleted_at IS NULL);
CREATE INDEX installs_by_org ON public.installs USING btree (org_id, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX installs_name ON public.installs USING btree (app_id, name) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX installs_number ON public.installs USING btree (app_id, install_number);
CREATE UNIQUE INDEX installs_runner ON public.installs USING btree (runner_id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX installs_runner_group ON public.installs USING btree (runner_group_id) WHERE (deleted_at IS NULL);

create table job_rollups (
  org_id svc_id not null,
  width_s integer not null,
  at timestamp with time zone not null,
  runner_group_id text collate "C" not null,
  job_group text collate "C" not null,
  type text collate "C" not null,
  enqueued integer not null,
  finished integer not null,
  failed integer not null,
  timed_out integer not null,
  not_attempted integer not null,
  cancelled integer not null,
  queue_times jsonb not null,
  queue_max double precision not null,
  run_times jsonb not null,
  run_max double precision not null,
  constraint job_rollups_pkey PRIMARY KEY (org_id, width_s, runner_group_id, at, job_group, type)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX job_rollups_age ON public.job_rollups USING btree (width_s, at);

create table log_chunks (
  day date not null,
  org_id svc_id not null,
  stream_id svc_id not null,
  "position" bigint not null,
  records integer not null,
  bytes integer not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  min_severity smallint not null,
  max_severity smallint not null,
  steps text[] not null default '{}'::text[],
  codec text not null,
  body bytea not null,
  received_at timestamp with time zone not null,
  constraint log_chunks_pkey PRIMARY KEY (stream_id, "position", day),
  constraint log_chunks_codec_check CHECK ((codec = 'zstd'::text)),
  constraint log_chunks_records_check CHECK ((records > 0))
) partition by RANGE (day);
alter table log_chunks alter column body set storage external;

create table log_org_days (
  org_id svc_id not null,
  day date not null,
  bytes bigint not null,
  constraint log_org_days_pkey PRIMARY KEY (org_id, day)
);

create table log_sequences (
  org_id svc_id not null,
  stream_id svc_id not null,
  execution_id text not null,
  first bigint not null,
  part jsonb not null,
  kept_at timestamp with time zone not null,
  constraint log_sequences_pkey PRIMARY KEY (org_id, stream_id, execution_id, first),
  constraint log_sequences_org_id_stream_id_fkey FOREIGN KEY (org_id, stream_id) REFERENCES log_streams(org_id, id) ON DELETE CASCADE
);

create table log_streams (
  id svc_id not null,
  org_id svc_id not null,
  owner_id text not null,
  owner_type text not null,
  runner_id svc_id,
  parent_id svc_id,
  attrs jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  version bigint not null default 0,
  last_write text not null default ''::text,
  next_position bigint not null default 1,
  records bigint not null default 0,
  bytes bigint not null default 0,
  dropped_records bigint not null default 0,
  dropped_bytes bigint not null default 0,
  dropped_from bigint,
  dropped_before bigint,
  loose_chunks integer not null default 0,
  sequences jsonb not null default '{}'::jsonb,
  first_day date,
  last_day date,
  expired_before bigint,
  constraint log_streams_pkey PRIMARY KEY (org_id, id),
  constraint log_streams_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint log_streams_check CHECK (((dropped_from IS NULL) = (dropped_before IS NULL)))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX log_streams_by_first_day ON public.log_streams USING btree (org_id, first_day, id);
CREATE INDEX log_streams_by_owner ON public.log_streams USING btree (org_id, owner_id);

create table org_invites (
  id svc_id not null,
  org_id svc_id not null,
  account_id svc_id,
  role_ids text[] not null,
  created_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_by_id text not null default ''::text,
  email text not null default ''::text,
  secret_digest bytea,
  resent_at timestamp with time zone,
  resent_by_id text not null default ''::text,
  constraint org_invites_pkey PRIMARY KEY (id),
  constraint org_invites_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint org_invites_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id) ON DELETE CASCADE,
  constraint org_invites_check CHECK (((accepted_at IS NULL) OR (revoked_at IS NULL))),
  constraint org_invites_check1 CHECK (((account_id IS NOT NULL) OR (email <> ''::text))),
  constraint org_invites_role_ids_check CHECK ((cardinality(role_ids) > 0))
);
CREATE INDEX org_invites_by_account ON public.org_invites USING btree (account_id, id);
CREATE INDEX org_invites_by_org ON public.org_invites USING btree (org_id, id);
CREATE UNIQUE INDEX org_invites_open ON public.org_invites USING btree (org_id, account_id) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));
CREATE UNIQUE INDEX org_invites_open_email ON public.org_invites USING btree (org_id, lower(email)) WHERE ((email <> ''::text) AND (accepted_at IS NULL) AND (revoked_at IS NULL));

create table org_rollups (
  org_id svc_id not null,
  width_s integer not null,
  at timestamp with time zone not null,
  runners_online_sum bigint not null,
  runners_busy_sum bigint not null,
  runners_offline_sum bigint not null,
  signals_waiting_sum bigint not null,
  signals_waiting_max bigint not null,
  signals_in_flight_sum bigint not null,
  constraint org_rollups_pkey PRIMARY KEY (org_id, width_s, at)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX org_rollups_age ON public.org_rollups USING btree (width_s, at);

create table org_stats (
  org_id svc_id not null,
  queued bigint not null,
  in_progress bigint not null,
  oldest_waiting_at timestamp with time zone,
  in_use bigint not null,
  capacity bigint not null,
  runners_online bigint not null,
  runners_busy bigint not null,
  runners_offline bigint not null,
  runners_other bigint not null,
  signals_waiting bigint not null,
  signals_in_flight bigint not null,
  problems jsonb not null,
  constraint org_stats_pkey PRIMARY KEY (org_id),
  constraint org_stats_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id) ON DELETE CASCADE
) with (fillfactor=50);

create table orgs (
  id svc_id not null,
  name text not null,
  version bigint not null default 1,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  retain_jobs_days integer,
  retain_logs_days integer,
  retain_heart_beats_days integer,
  retain_health_checks_days integer,
  retain_audit_days integer,
  prevent_self_approval boolean not null default false,
  sandbox_mode boolean not null default false,
  tags text[] not null default '{}'::text[],
  auto_skip_noops boolean not null default false,
  constraint orgs_pkey PRIMARY KEY (id),
  constraint orgs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint orgs_retain_audit_days_check CHECK (((retain_audit_days >= 7) AND (retain_audit_days <= 3650))),
  constraint orgs_retain_health_checks_days_check CHECK (((retain_health_checks_days >= 1) AND (retain_health_checks_days <= 3650))),
  constraint orgs_retain_heart_beats_days_check CHECK (((retain_heart_beats_days >= 1) AND (retain_heart_beats_days <= 3650))),
  constraint orgs_retain_jobs_days_check CHECK (((retain_jobs_days >= 1) AND (retain_jobs_days <= 3650))),
  constraint orgs_retain_logs_days_check CHECK (((retain_logs_days >= 1) AND (retain_logs_days <= 3650)))
);
CREATE INDEX orgs_with_retention ON public.orgs USING btree (id) WHERE (COALESCE(retain_jobs_days, retain_logs_days, retain_heart_beats_days, retain_health_checks_days, retain_audit_days) IS NOT NULL);

create table policy_engines (
  is_one boolean not null default true,
  seen_at timestamp with time zone not null,
  constraint policy_engines_pkey PRIMARY KEY (is_one),
  constraint policy_engines_is_one_check CHECK (is_one)
);

create table policy_evaluations (
  org_id svc_id not null,
  owner_type text not null,
  owner_id svc_id not null,
  runner_job_id svc_id not null,
  workflow_id svc_id not null,
  created_at timestamp with time zone not null,
  tries integer not null default 0,
  taken_until timestamp with time zone,
  constraint policy_evaluations_pkey PRIMARY KEY (org_id, owner_id, runner_job_id),
  constraint policy_evaluations_owner_type_check CHECK ((owner_type = ANY (ARRAY['component_builds'::text, 'install_deploys'::text, 'install_sandbox_runs'::text])))
);
CREATE INDEX policy_evaluations_by_workflow ON public.policy_evaluations USING btree (workflow_id);

create table policy_reports (
  id svc_id not null,
  org_id svc_id not null,
  owner_type text not null,
  owner_id svc_id not null,
  app_id svc_id not null,
  component_id svc_id,
  component_name text not null default ''::text,
  install_id svc_id,
  runner_job_id svc_id not null,
  status text not null,
  status_description text not null default ''::text,
  inputs jsonb not null,
  policies jsonb not null,
  policy_ids text[] not null,
  violations jsonb not null,
  deny_count integer not null,
  warn_count integer not null,
  pass_count integer not null,
  evaluated_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint policy_reports_pkey PRIMARY KEY (org_id, id),
  constraint policy_reports_org_id_app_id_fkey FOREIGN KEY (org_id, app_id) REFERENCES apps(org_id, id),
  constraint policy_reports_inputs_check CHECK ((jsonb_typeof(inputs) = 'array'::text)),
  constraint policy_reports_owner_type_check CHECK ((owner_type = ANY (ARRAY['component_builds'::text, 'install_deploys'::text, 'install_sandbox_runs'::text]))),
  constraint policy_reports_policies_check CHECK ((jsonb_typeof(policies) = 'array'::text)),
  constraint policy_reports_status_check CHECK ((status = ANY (ARRAY['pass'::text, 'warn'::text, 'deny'::text, 'error'::text]))),
  constraint policy_reports_violations_check CHECK ((jsonb_typeof(violations) = 'array'::text))
);
CREATE INDEX policy_reports_by_app ON public.policy_reports USING btree (app_id, id);
CREATE INDEX policy_reports_by_install ON public.policy_reports USING btree (install_id, id) WHERE (install_id IS NOT NULL);
CREATE INDEX policy_reports_by_time ON public.policy_reports USING btree (app_id, evaluated_at);
CREATE INDEX policy_reports_of ON public.policy_reports USING btree (owner_id, id);
CREATE INDEX policy_reports_old ON public.policy_reports USING btree (evaluated_at);

create table pulumi_passphrases (
  workspace_id svc_id not null,
  org_id svc_id not null,
  key_id text,
  contents bytea not null,
  created_at timestamp with time zone not null default svc_now(),
  constraint pulumi_passphrases_pkey PRIMARY KEY (org_id, workspace_id),
  constraint pulumi_passphrases_org_id_workspace_id_fkey FOREIGN KEY (org_id, workspace_id) REFERENCES terraform_workspaces(org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX pulumi_passphrases_by_workspace ON public.pulumi_passphrases USING btree (workspace_id);

create table queue_counters (
  queue_id svc_id not null,
  org_id svc_id not null,
  max_depth integer not null,
  max_in_flight integer not null,
  is_paused boolean not null default false,
  is_idle boolean not null default false,
  waiting integer not null default 0,
  own_turns integer not null default 0,
  delayed integer not null default 0,
  in_flight integer not null default 0,
  bytes bigint not null default 0,
  last_used_at timestamp with time zone not null default svc_now(),
  constraint queue_counters_pkey PRIMARY KEY (queue_id),
  constraint queue_counters_bytes_check CHECK ((bytes >= 0)),
  constraint queue_counters_delayed_check CHECK ((delayed >= 0)),
  constraint queue_counters_in_flight_check CHECK ((in_flight >= 0)),
  constraint queue_counters_max_depth_check CHECK (((max_depth >= 1) AND (max_depth <= 1000000))),
  constraint queue_counters_max_in_flight_check CHECK (((max_in_flight >= 1) AND (max_in_flight <= 1000))),
  constraint queue_counters_own_turns_check CHECK ((own_turns >= 0)),
  constraint queue_counters_waiting_check CHECK ((waiting >= 0))
) with (fillfactor=30, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_cost_limit=2000);

create table queue_emitter_counts (
  org_id svc_id not null,
  emitters integer not null,
  constraint queue_emitter_counts_pkey PRIMARY KEY (org_id),
  constraint queue_emitter_counts_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint queue_emitter_counts_emitters_check CHECK ((emitters >= 0))
);

create table queue_emitters (
  id svc_id not null,
  org_id svc_id not null,
  queue_id svc_id not null,
  name text not null,
  description text not null default ''::text,
  mode text not null,
  cron_schedule text,
  time_zone text not null default 'UTC'::text,
  scheduled_at timestamp with time zone,
  delay bigint,
  fired boolean not null default false,
  jitter_window bigint not null default 0,
  grace bigint not null default '60000000000'::bigint,
  missed_policy text not null default 'once'::text,
  missed_limit integer not null default 10,
  overlap_policy text not null default 'skip'::text,
  signal_type text not null,
  runs text not null,
  task text,
  owner_id text not null default ''::text,
  owner_type text not null default ''::text,
  dedupe_key text,
  max_executions integer not null,
  retry_delay bigint not null,
  signal_expires_in bigint,
  key_id text,
  contents bytea not null,
  emit_count bigint not null default 0,
  skip_count bigint not null default 0,
  last_emitted_at timestamp with time zone,
  last_signal_id svc_id,
  next_tick_at timestamp with time zone,
  next_emit_at timestamp with time zone,
  due_at timestamp with time zone,
  status text not null default 'active'::text,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null default svc_now(),
  paused_until timestamp with time zone,
  paused_note text,
  paused_by_id text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  schedule_at timestamp with time zone,
  waiting_ticks integer not null default 0,
  constraint queue_emitters_pkey PRIMARY KEY (id),
  constraint queue_emitters_org_id_id_key UNIQUE (org_id, id),
  constraint queue_emitters_org_id_queue_id_fkey FOREIGN KEY (org_id, queue_id) REFERENCES queues(org_id, id),
  constraint queue_emitters_check CHECK (((mode = 'cron'::text) = (cron_schedule IS NOT NULL))),
  constraint queue_emitters_check1 CHECK (((mode = 'cron'::text) = (scheduled_at IS NULL))),
  constraint queue_emitters_check2 CHECK (((mode = 'fire_once'::text) = (delay IS NOT NULL))),
  constraint queue_emitters_check3 CHECK (((mode = 'cron'::text) OR (jitter_window = 0))),
  constraint queue_emitters_check4 CHECK (((runs = 'pull'::text) = (task IS NULL))),
  constraint queue_emitters_check5 CHECK (((status <> 'active'::text) OR (due_at IS NOT NULL))),
  constraint queue_emitters_check6 CHECK (((status = 'active'::text) OR (next_tick_at IS NULL))),
  constraint queue_emitters_delay_check CHECK ((delay >= 0)),
  constraint queue_emitters_grace_check CHECK ((grace >= 0)),
  constraint queue_emitters_jitter_window_check CHECK ((jitter_window >= 0)),
  constraint queue_emitters_max_executions_check CHECK ((max_executions >= 1)),
  constraint queue_emitters_missed_limit_check CHECK (((missed_limit >= 1) AND (missed_limit <= 100))),
  constraint queue_emitters_missed_policy_check CHECK ((missed_policy = ANY (ARRAY['skip'::text, 'once'::text, 'all'::text]))),
  constraint queue_emitters_mode_check CHECK ((mode = ANY (ARRAY['cron'::text, 'scheduled'::text, 'fire_once'::text]))),
  constraint queue_emitters_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint queue_emitters_overlap_policy_check CHECK ((overlap_policy = ANY (ARRAY['skip'::text, 'allow'::text]))),
  constraint queue_emitters_retry_delay_check CHECK ((retry_delay > 0)),
  constraint queue_emitters_runs_check CHECK ((runs = ANY (ARRAY['pull'::text, 'task'::text, 'hold'::text]))),
  constraint queue_emitters_signal_expires_in_check CHECK ((signal_expires_in > 0)),
  constraint queue_emitters_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'done'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);
alter table queue_emitters alter column contents set storage external;
CREATE INDEX queue_emitters_by_queue ON public.queue_emitters USING btree (queue_id, id);
CREATE INDEX queue_emitters_done ON public.queue_emitters USING btree (status_at) WHERE (status = 'done'::text);
CREATE INDEX queue_emitters_due ON public.queue_emitters USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX queue_emitters_due_of_org ON public.queue_emitters USING btree (org_id, due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX queue_emitters_name ON public.queue_emitters USING btree (queue_id, name);
CREATE INDEX queue_emitters_overdue ON public.queue_emitters USING btree (next_emit_at) WHERE (due_at > next_emit_at);
CREATE TRIGGER queue_emitters_created AFTER INSERT ON public.queue_emitters REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_emitters();
CREATE TRIGGER queue_emitters_deleted AFTER DELETE ON public.queue_emitters REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_emitters();

create table queue_rollups (
  org_id svc_id not null,
  width_s integer not null,
  at timestamp with time zone not null,
  runner_group_id text collate "C" not null,
  job_group text collate "C" not null,
  waiting_sum bigint not null,
  waiting_max bigint not null,
  in_progress_sum bigint not null,
  in_use_sum bigint not null,
  capacity_sum bigint not null,
  oldest_max double precision not null,
  constraint queue_rollups_pkey PRIMARY KEY (org_id, width_s, runner_group_id, at, job_group)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX queue_rollups_age ON public.queue_rollups USING btree (width_s, at);

create table queue_signal_callbacks (
  signal_id svc_id not null,
  n integer not null,
  org_id svc_id not null,
  kind text not null,
  statuses text[] not null,
  status text not null default 'waiting'::text,
  status_description text not null default ''::text,
  next_id svc_id not null,
  queue_id svc_id,
  type text,
  runs text,
  task text,
  dedupe_key text,
  expires_in bigint,
  max_executions integer,
  retry_delay bigint,
  key_id text,
  contents bytea not null,
  created_by_id text not null default ''::text,
  settled_at timestamp with time zone,
  tries integer not null default 0,
  due_at timestamp with time zone,
  begins integer not null default 0,
  constraint queue_signal_callbacks_pkey PRIMARY KEY (signal_id, n),
  constraint queue_signal_callbacks_check CHECK (((kind = 'signal'::text) = (num_nonnulls(queue_id, type, runs, max_executions, retry_delay) = 5))),
  constraint queue_signal_callbacks_kind_check CHECK ((kind = ANY (ARRAY['signal'::text, 'runner-job'::text, 'http-call'::text]))),
  constraint queue_signal_callbacks_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'skipped'::text, 'pending'::text, 'done'::text, 'failed'::text]))),
  constraint queue_signal_callbacks_statuses_check CHECK (((statuses <@ '{finished,dead,expired,cancelled}'::text[]) AND (statuses <> '{}'::text[])))
);
alter table queue_signal_callbacks alter column contents set storage external;
CREATE INDEX queue_signal_callbacks_due ON public.queue_signal_callbacks USING btree (due_at) WHERE (due_at IS NOT NULL);

create table queue_signal_ends (
  signal_id svc_id not null,
  org_id svc_id not null,
  queue_id svc_id not null,
  status text not null,
  status_description text not null default ''::text,
  execution_count integer not null,
  lease_id text,
  key_id text,
  result bytea,
  started_at timestamp with time zone,
  finished_at timestamp with time zone not null,
  history jsonb not null default '[]'::jsonb,
  constraint queue_signal_ends_pkey PRIMARY KEY (signal_id),
  constraint queue_signal_ends_status_check CHECK ((status = ANY (ARRAY['finished'::text, 'dead'::text, 'expired'::text, 'cancelled'::text])))
);
CREATE INDEX queue_signal_ends_age ON public.queue_signal_ends USING brin (finished_at);
CREATE INDEX queue_signal_ends_by_status ON public.queue_signal_ends USING btree (queue_id, status, signal_id);

create table queue_signal_keys (
  org_id svc_id not null,
  key text not null,
  fingerprint bytea not null,
  signal_ids text[] not null,
  created_at timestamp with time zone not null,
  kept boolean[],
  constraint queue_signal_keys_pkey PRIMARY KEY (org_id, key),
  constraint queue_signal_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id)
);
CREATE INDEX queue_signal_keys_age ON public.queue_signal_keys USING brin (created_at);

create table queue_signal_live (
  id svc_id not null,
  org_id svc_id not null,
  queue_id svc_id not null,
  place bigint not null generated always as identity,
  status text not null,
  runs text not null,
  has_place boolean not null default false,
  dedupe_key text,
  size integer not null,
  execution_count integer not null default 0,
  max_executions integer not null,
  retry_delay bigint not null,
  lease_id text,
  lease bigint,
  reported_lease_id text,
  claim_id text,
  worker text,
  expires_at timestamp with time zone,
  deadline_at timestamp with time zone,
  created_at timestamp with time zone not null,
  status_at timestamp with time zone not null,
  status_description text not null default ''::text,
  started_at timestamp with time zone,
  history jsonb not null default '[]'::jsonb,
  awaits_job svc_id,
  constraint queue_signal_live_pkey PRIMARY KEY (id),
  constraint queue_signal_live_check CHECK (((status = 'in-flight'::text) = (lease_id IS NOT NULL))),
  constraint queue_signal_live_check1 CHECK (((status <> 'in-flight'::text) OR has_place)),
  constraint queue_signal_live_check2 CHECK (((status <> 'queued'::text) OR (NOT has_place))),
  constraint queue_signal_live_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'in-flight'::text, 'retrying'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX queue_signal_live_awaits ON public.queue_signal_live USING btree (awaits_job) WHERE (awaits_job IS NOT NULL);
CREATE INDEX queue_signal_live_by_claim ON public.queue_signal_live USING btree (queue_id, claim_id) WHERE (claim_id IS NOT NULL);
CREATE INDEX queue_signal_live_by_status ON public.queue_signal_live USING btree (queue_id, status, id) WHERE (status <> 'queued'::text);
CREATE INDEX queue_signal_live_deadline ON public.queue_signal_live USING btree (deadline_at) WHERE (deadline_at IS NOT NULL);
CREATE UNIQUE INDEX queue_signal_live_dedupe ON public.queue_signal_live USING btree (queue_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);
CREATE INDEX queue_signal_live_waiting ON public.queue_signal_live USING btree (queue_id, place) WHERE (status = 'queued'::text);

create table queue_signals (
  id svc_id not null,
  org_id svc_id not null,
  queue_id svc_id not null,
  type text not null,
  runs text not null,
  task text,
  owner_id text not null default ''::text,
  owner_type text not null default ''::text,
  context jsonb not null default '{}'::jsonb,
  awaited_by svc_id,
  caused_by svc_id,
  emitter_id svc_id,
  scheduled_for timestamp with time zone,
  dedupe_key text,
  expires_at timestamp with time zone,
  max_executions integer not null,
  retry_delay bigint not null,
  key_id text,
  contents bytea not null,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint queue_signals_pkey PRIMARY KEY (org_id, id),
  constraint queue_signals_org_id_queue_id_fkey FOREIGN KEY (org_id, queue_id) REFERENCES queues(org_id, id),
  constraint queue_signals_check CHECK (((runs = 'pull'::text) = (task IS NULL))),
  constraint queue_signals_context_check CHECK ((jsonb_typeof(context) = 'object'::text)),
  constraint queue_signals_max_executions_check CHECK ((max_executions >= 1)),
  constraint queue_signals_retry_delay_check CHECK ((retry_delay > 0)),
  constraint queue_signals_runs_check CHECK ((runs = ANY (ARRAY['pull'::text, 'task'::text, 'hold'::text])))
);
alter table queue_signals alter column contents set storage external;
CREATE INDEX queue_signals_by_emitter ON public.queue_signals USING btree (emitter_id, id) WHERE (emitter_id IS NOT NULL);
CREATE INDEX queue_signals_by_owner ON public.queue_signals USING btree (org_id, owner_id, id) WHERE (owner_id <> ''::text);
CREATE INDEX queue_signals_by_queue ON public.queue_signals USING btree (queue_id, id);
CREATE UNIQUE INDEX queue_signals_tick ON public.queue_signals USING btree (emitter_id, scheduled_for) WHERE (scheduled_for IS NOT NULL);

create table queues (
  id svc_id not null,
  org_id svc_id not null,
  name text not null,
  owner_id text not null default ''::text,
  owner_type text not null default ''::text,
  idle_timeout bigint not null,
  metadata jsonb not null default '{}'::jsonb,
  status text not null default 'active'::text,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null default svc_now(),
  paused_until timestamp with time zone,
  paused_note text,
  paused_by_id text,
  deadline_at timestamp with time zone,
  version bigint not null default 1,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  deleted_at timestamp with time zone,
  install_id svc_id,
  app_id svc_id,
  constraint queues_pkey PRIMARY KEY (id),
  constraint queues_org_id_id_key UNIQUE (org_id, id),
  constraint queues_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint queues_check CHECK (((paused_until IS NULL) OR (status = 'paused'::text))),
  constraint queues_idle_timeout_check CHECK ((idle_timeout >= 0)),
  constraint queues_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint queues_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint queues_status_check CHECK ((status = ANY (ARRAY['active'::text, 'idle'::text, 'paused'::text])))
);
CREATE INDEX queues_by_org ON public.queues USING btree (org_id, id) WHERE (deleted_at IS NULL);
CREATE INDEX queues_deleted ON public.queues USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX queues_due ON public.queues USING btree (deadline_at) WHERE (deadline_at IS NOT NULL);
CREATE UNIQUE INDEX queues_name ON public.queues USING btree (org_id, owner_type, owner_id, name) WHERE (deleted_at IS NULL);

create table registry_fixed_logins (
  id svc_id not null,
  org_id svc_id not null,
  use text not null,
  username text not null,
  key_id text,
  password bytea not null,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint registry_fixed_logins_pkey PRIMARY KEY (id),
  constraint registry_fixed_logins_org_id_use_key UNIQUE (org_id, use),
  constraint registry_fixed_logins_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint registry_fixed_logins_use_check CHECK ((use = ANY (ARRAY['push'::text, 'pull'::text])))
);

create table registry_login_refusals (
  org_id svc_id not null,
  server text not null,
  detail text not null,
  refused_at timestamp with time zone not null,
  constraint registry_login_refusals_pkey PRIMARY KEY (org_id, server),
  constraint registry_login_refusals_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id)
);

create table registry_logins (
  id svc_id not null,
  org_id svc_id not null,
  runner_job_id svc_id,
  install_id svc_id,
  digest bytea not null,
  access jsonb not null,
  created_at timestamp with time zone not null default svc_now(),
  expires_at timestamp with time zone,
  place text,
  runner_job_of svc_id,
  constraint registry_logins_pkey PRIMARY KEY (id),
  constraint registry_logins_org_id_install_id_fkey FOREIGN KEY (org_id, install_id) REFERENCES installs(org_id, id) ON DELETE CASCADE,
  constraint registry_logins_org_id_runner_job_id_fkey FOREIGN KEY (org_id, runner_job_id) REFERENCES runner_jobs(org_id, id) ON DELETE CASCADE,
  constraint registry_logins_access_check CHECK ((jsonb_typeof(access) = 'array'::text)),
  constraint registry_logins_check CHECK ((num_nonnulls(runner_job_id, install_id) = 1)),
  constraint registry_logins_check1 CHECK (((install_id IS NULL) OR (expires_at IS NOT NULL))),
  constraint registry_logins_digest_check CHECK ((length(digest) = 32))
);
CREATE INDEX registry_logins_of_installs ON public.registry_logins USING btree (org_id, install_id) WHERE (install_id IS NOT NULL);
CREATE INDEX registry_logins_of_jobs ON public.registry_logins USING btree (org_id, runner_job_id) WHERE (runner_job_id IS NOT NULL);

create table registry_refusals (
  server text not null,
  detail text not null,
  refused_at timestamp with time zone not null,
  constraint registry_refusals_pkey PRIMARY KEY (server)
);

create table registry_signing_keys (
  period integer not null,
  kid text not null,
  public_key jsonb not null,
  key_id text,
  contents bytea not null,
  created_at timestamp with time zone not null default svc_now(),
  constraint registry_signing_keys_pkey PRIMARY KEY (period),
  constraint registry_signing_keys_kid_key UNIQUE (kid)
);

create table role_policies (
  role_id svc_id not null,
  name text not null,
  permissions text[] not null,
  constraint role_policies_pkey PRIMARY KEY (role_id, name),
  constraint role_policies_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id) ON DELETE CASCADE,
  constraint role_policies_name_check CHECK (((length(name) >= 1) AND (length(name) <= 63)))
);

create table roles (
  id svc_id not null,
  org_id svc_id,
  role_type text not null,
  title text not null,
  description text not null default ''::text,
  applies_to text[] not null default '{account}'::text[],
  assignable boolean not null default true,
  managed boolean not null default false,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  grants text[] not null default '{}'::text[],
  constraint roles_pkey PRIMARY KEY (id),
  constraint roles_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint roles_applies_to_check CHECK ((applies_to <@ '{account,token}'::text[])),
  constraint roles_check CHECK (((NOT managed) OR (org_id IS NULL))),
  constraint roles_grants_check CHECK ((grants <@ ARRAY['plans.read'::text, 'plans.secrets'::text, 'signals.data'::text])),
  constraint roles_role_type_check CHECK ((role_type = ANY (ARRAY['org_admin'::text, 'org_support'::text, 'org_read_only'::text, 'org_builder'::text, 'installer'::text, 'runner'::text, 'hosted-installer'::text, 'stack'::text, 'telemetry_collector'::text])))
);
CREATE INDEX roles_by_org ON public.roles USING btree (org_id) WHERE (org_id IS NOT NULL);
CREATE UNIQUE INDEX roles_managed ON public.roles USING btree (role_type) WHERE managed;

create table rollup_coverage (
  width_s integer not null,
  at timestamp with time zone not null,
  minutes integer not null,
  constraint rollup_coverage_pkey PRIMARY KEY (width_s, at)
);

create table runbook_configs (
  id svc_id not null,
  org_id svc_id not null,
  runbook_id svc_id not null,
  app_config_id svc_id not null,
  name text not null,
  created_at timestamp with time zone not null,
  constraint runbook_configs_pkey PRIMARY KEY (org_id, id),
  constraint runbook_configs_org_id_app_config_id_fkey FOREIGN KEY (org_id, app_config_id) REFERENCES app_configs(org_id, id),
  constraint runbook_configs_org_id_runbook_id_fkey FOREIGN KEY (org_id, runbook_id) REFERENCES runbooks(org_id, id)
);
CREATE INDEX runbook_configs_by_runbook ON public.runbook_configs USING btree (runbook_id, id);
CREATE UNIQUE INDEX runbook_configs_of ON public.runbook_configs USING btree (app_config_id, runbook_id);

create table runbooks (
  id svc_id not null,
  org_id svc_id not null,
  app_id svc_id not null,
  name text not null,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  deleted_at timestamp with time zone,
  labels jsonb not null default '{}'::jsonb,
  config_labels jsonb not null default '{}'::jsonb,
  updated_at timestamp with time zone,
  said jsonb not null default '{}'::jsonb,
  constraint runbooks_pkey PRIMARY KEY (org_id, id),
  constraint runbooks_org_id_app_id_fkey FOREIGN KEY (org_id, app_id) REFERENCES apps(org_id, id),
  constraint runbooks_config_labels_check CHECK ((jsonb_typeof(config_labels) = 'object'::text)),
  constraint runbooks_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text)),
  constraint runbooks_said_check CHECK ((jsonb_typeof(said) = 'object'::text))
);
CREATE INDEX runbooks_by_name ON public.runbooks USING btree (org_id, replace(name, '-'::text, '_'::text)) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX runbooks_name ON public.runbooks USING btree (app_id, replace(name, '-'::text, '_'::text)) WHERE (deleted_at IS NULL);

create table runner_beat_minutes (
  process_id svc_id not null,
  minute_bucket timestamp with time zone not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  beats bigint not null,
  constraint runner_beat_minutes_pkey PRIMARY KEY (process_id, minute_bucket)
);
CREATE INDEX runner_beat_minutes_age ON public.runner_beat_minutes USING brin (minute_bucket);

create table runner_group_settings (
  id svc_id not null,
  org_id svc_id not null,
  runner_group_id svc_id not null,
  version bigint not null default 1,
  groups text[] not null default '{}'::text[],
  job_group_parallelism jsonb not null default '{}'::jsonb,
  job_group_max_depth integer not null default 10000,
  heart_beat_timeout bigint not null default '5000000000'::bigint,
  sandbox_mode boolean not null default false,
  document jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint runner_group_settings_pkey PRIMARY KEY (id),
  constraint runner_group_settings_runner_group_id_key UNIQUE (runner_group_id),
  constraint runner_group_settings_org_id_runner_group_id_fkey FOREIGN KEY (org_id, runner_group_id) REFERENCES runner_groups(org_id, id) ON DELETE CASCADE,
  constraint runner_group_settings_document_check CHECK ((jsonb_typeof(document) = 'object'::text)),
  constraint runner_group_settings_heart_beat_timeout_check CHECK (((heart_beat_timeout >= 1000000000) AND (heart_beat_timeout <= '30000000000'::bigint))),
  constraint runner_group_settings_job_group_max_depth_check CHECK (((job_group_max_depth >= 1) AND (job_group_max_depth <= 10000000))),
  constraint runner_group_settings_job_group_parallelism_check CHECK ((jsonb_typeof(job_group_parallelism) = 'object'::text))
);

create table runner_groups (
  id svc_id not null,
  org_id svc_id not null,
  name text not null default ''::text,
  owner_id text not null,
  owner_type text not null,
  type text not null,
  platform text not null,
  paused_at timestamp with time zone,
  paused_until timestamp with time zone,
  paused_note text,
  paused_by_id text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  deleted_at timestamp with time zone,
  constraint runner_groups_pkey PRIMARY KEY (id),
  constraint runner_groups_org_id_id_key UNIQUE (org_id, id),
  constraint runner_groups_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint runner_groups_check CHECK (((paused_until IS NULL) OR (paused_at IS NOT NULL))),
  constraint runner_groups_platform_check CHECK ((platform = ANY (ARRAY['unknown'::text, 'aws-ecs'::text, 'aws-eks'::text, 'azure-aks'::text, 'azure-acs'::text, 'gcp-gke'::text, 'local'::text, 'aws'::text, 'azure'::text, 'gcp'::text]))),
  constraint runner_groups_type_check CHECK ((type = ANY (ARRAY['install'::text, 'org'::text])))
);
CREATE INDEX runner_groups_by_org ON public.runner_groups USING btree (org_id, created_at, id);
CREATE INDEX runner_groups_pause_ends ON public.runner_groups USING btree (paused_until) WHERE (paused_until IS NOT NULL);

create table runner_health_checks (
  id svc_id not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  process text not null default ''::text,
  process_id svc_id,
  minute_bucket timestamp with time zone not null,
  status text not null,
  status_code integer not null default 0,
  runner_job_id svc_id,
  created_at timestamp with time zone not null default svc_now(),
  constraint runner_health_checks_pkey PRIMARY KEY (id),
  constraint runner_health_checks_org_id_runner_id_fkey FOREIGN KEY (org_id, runner_id) REFERENCES runners(org_id, id)
);
CREATE INDEX runner_health_checks_age ON public.runner_health_checks USING brin (created_at);
CREATE INDEX runner_health_checks_recent ON public.runner_health_checks USING btree (runner_id, created_at);

create table runner_job_ends (
  runner_job_id svc_id not null,
  org_id svc_id not null,
  status text not null,
  status_description text not null default ''::text,
  clock text,
  composite_error jsonb,
  execution_count integer not null,
  final_execution_id svc_id,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone not null,
  constraint runner_job_ends_pkey PRIMARY KEY (runner_job_id),
  constraint runner_job_ends_clock_check CHECK ((clock = ANY (ARRAY['execution_timeout'::text, 'overall_timeout'::text]))),
  constraint runner_job_ends_status_check CHECK ((status = ANY (ARRAY['finished'::text, 'failed'::text, 'timed-out'::text, 'not-attempted'::text, 'cancelled'::text])))
);
CREATE INDEX runner_job_ends_age ON public.runner_job_ends USING brin (finished_at);
CREATE INDEX runner_job_ends_by_status ON public.runner_job_ends USING btree (org_id, status, runner_job_id) WHERE (status <> 'finished'::text);

create table runner_job_enqueue_keys (
  org_id svc_id not null,
  key text not null,
  fingerprint bytea not null,
  job_ids text[] not null,
  created_at timestamp with time zone not null,
  constraint runner_job_enqueue_keys_pkey PRIMARY KEY (org_id, key),
  constraint runner_job_enqueue_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id)
);
CREATE INDEX runner_job_enqueue_keys_age ON public.runner_job_enqueue_keys USING brin (created_at);

create table runner_job_events (
  org_id svc_id not null,
  tx xid8 not null default pg_current_xact_id(),
  seq bigint not null generated always as identity,
  runner_job_id svc_id not null,
  runner_id svc_id not null,
  job_group text collate "C" not null,
  event text not null,
  from_status text not null,
  to_status text not null,
  execution_id svc_id,
  description text not null default ''::text,
  at timestamp with time zone not null,
  constraint runner_job_events_pkey PRIMARY KEY (org_id, tx, seq),
  constraint runner_job_events_is_move CHECK (is_job_move(event, from_status, to_status)) NOT VALID
);
CREATE INDEX runner_job_events_age ON public.runner_job_events USING brin (at);
CREATE INDEX runner_job_events_by_job ON public.runner_job_events USING btree (runner_job_id);

create table runner_job_execution_evidence (
  id bigint not null generated always as identity,
  execution_id svc_id not null,
  org_id svc_id not null,
  kind text not null,
  body jsonb not null,
  reason text not null,
  created_at timestamp with time zone not null,
  key_id text,
  sealed bytea,
  constraint runner_job_execution_evidence_pkey PRIMARY KEY (id),
  constraint runner_job_execution_evidence_org_id_execution_id_fkey FOREIGN KEY (org_id, execution_id) REFERENCES runner_job_executions(org_id, id) ON DELETE CASCADE,
  constraint runner_job_execution_evidence_kind_check CHECK ((kind = ANY (ARRAY['status'::text, 'result'::text, 'outputs'::text])))
);
alter table runner_job_execution_evidence alter column sealed set storage external;
CREATE INDEX runner_job_execution_evidence_by_execution ON public.runner_job_execution_evidence USING btree (execution_id);
CREATE TRIGGER bound_evidence BEFORE INSERT ON public.runner_job_execution_evidence FOR EACH ROW EXECUTE FUNCTION bound_evidence();

create table runner_job_execution_outputs (
  execution_id svc_id not null,
  org_id svc_id not null,
  id svc_id not null,
  outputs json,
  created_at timestamp with time zone not null,
  sealed_outputs bytea,
  key_id text,
  fingerprint bytea,
  constraint runner_job_execution_outputs_pkey PRIMARY KEY (execution_id),
  constraint runner_job_execution_outputs_check CHECK ((((outputs IS NULL) = (key_id IS NOT NULL)) AND ((sealed_outputs IS NULL) = (key_id IS NULL)) AND ((fingerprint IS NULL) = (key_id IS NULL)))) NOT VALID
);
alter table runner_job_execution_outputs alter column sealed_outputs set storage external;

create table runner_job_execution_progress (
  execution_id svc_id not null,
  org_id svc_id not null,
  steps integer not null default 0,
  is_full boolean not null default false,
  updated_at timestamp with time zone not null,
  constraint runner_job_execution_progress_pkey PRIMARY KEY (execution_id),
  constraint runner_job_execution_progress_org_id_execution_id_fkey FOREIGN KEY (org_id, execution_id) REFERENCES runner_job_executions(org_id, id) ON DELETE CASCADE
);

create table runner_job_execution_results (
  execution_id svc_id not null,
  org_id svc_id not null,
  id svc_id not null,
  success boolean not null,
  error_code integer not null default 0,
  error_metadata jsonb not null default '{}'::jsonb,
  composite_error jsonb,
  contents text,
  contents_display text,
  contents_gzip bytea,
  contents_display_gzip bytea,
  created_at timestamp with time zone not null,
  sealed_contents bytea,
  key_id text,
  fingerprint bytea,
  constraint runner_job_execution_results_pkey PRIMARY KEY (execution_id),
  constraint runner_job_execution_results_check CHECK ((((sealed_contents IS NULL) = (key_id IS NULL)) AND ((key_id IS NULL) = (fingerprint IS NULL))))
);
alter table runner_job_execution_results alter column sealed_contents set storage external;

create table runner_job_execution_steps (
  execution_id svc_id not null,
  name text collate "C" not null,
  org_id svc_id not null,
  n integer not null,
  status text not null,
  detail text not null default ''::text,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint runner_job_execution_steps_pkey PRIMARY KEY (execution_id, name),
  constraint runner_job_execution_steps_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES runner_job_execution_progress(execution_id) ON DELETE CASCADE,
  constraint runner_job_execution_steps_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in-progress'::text, 'finished'::text, 'error'::text, 'timed-out'::text])))
);

create table runner_job_executions (
  id svc_id not null,
  org_id svc_id not null,
  runner_job_id svc_id not null,
  runner_id svc_id not null,
  process_id svc_id,
  holders text[],
  is_ours boolean not null,
  status text not null default 'pending'::text,
  status_description text not null default ''::text,
  ended_by text,
  history jsonb not null default '[]'::jsonb,
  poll_id text,
  token_digest bytea,
  created_at timestamp with time zone not null,
  deadline_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  finished_at timestamp with time zone,
  last_record bigint,
  constraint runner_job_executions_pkey PRIMARY KEY (org_id, id),
  constraint runner_job_executions_org_id_runner_job_id_fkey FOREIGN KEY (org_id, runner_job_id) REFERENCES runner_jobs(org_id, id) ON DELETE CASCADE,
  constraint runner_job_executions_check CHECK (((status = ANY (ARRAY['finished'::text, 'failed'::text, 'timed-out'::text, 'not-attempted'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
  constraint runner_job_executions_check1 CHECK (((finished_at IS NULL) = (ended_by IS NULL))),
  constraint runner_job_executions_ended_by_check CHECK ((ended_by = ANY (ARRAY['client'::text, 'broker'::text]))),
  constraint runner_job_executions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'initializing'::text, 'in-progress'::text, 'cleaning-up'::text, 'finished'::text, 'failed'::text, 'timed-out'::text, 'not-attempted'::text, 'cancelled'::text])))
) with (fillfactor=60);
CREATE INDEX runner_job_executions_by_job ON public.runner_job_executions USING btree (runner_job_id);

create table runner_job_live (
  id svc_id not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  job_group text collate "C" not null,
  status text not null,
  has_slot boolean not null,
  withdrawals integer not null default 0,
  execution_count integer not null default 0,
  max_executions integer not null,
  created_at timestamp with time zone not null,
  status_at timestamp with time zone not null,
  deadline_at timestamp with time zone not null,
  overall_at timestamp with time zone not null,
  queue_timeout bigint not null,
  available_timeout bigint not null,
  execution_timeout bigint not null,
  stop_grace bigint not null,
  changes_things boolean not null,
  started_at timestamp with time zone,
  execution_id svc_id,
  process_id svc_id,
  holders text[],
  blocked_by svc_id,
  offered_until timestamp with time zone,
  event_tx xid8 not null default pg_current_xact_id(),
  signal_id svc_id,
  workflow_id svc_id,
  constraint runner_job_live_pkey PRIMARY KEY (id),
  constraint runner_job_live_check CHECK (((status = 'in-progress'::text) = (execution_id IS NOT NULL))),
  constraint runner_job_live_check1 CHECK (((status <> 'queued'::text) OR (NOT has_slot))),
  constraint runner_job_live_check2 CHECK (((status <> 'in-progress'::text) OR has_slot)),
  constraint runner_job_live_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'available'::text, 'in-progress'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX runner_job_live_deadline ON public.runner_job_live USING btree (deadline_at);
CREATE INDEX runner_job_live_offer ON public.runner_job_live USING btree (runner_id, job_group, withdrawals, created_at, id) WHERE ((status = 'available'::text) AND has_slot);
CREATE INDEX runner_job_live_overdue ON public.runner_job_live USING btree (job_group) WHERE ((status = 'available'::text) AND (NOT has_slot));
CREATE INDEX runner_job_live_running ON public.runner_job_live USING btree (runner_id, process_id) WHERE (status = 'in-progress'::text);
CREATE INDEX runner_job_live_signal ON public.runner_job_live USING btree (signal_id) WHERE (signal_id IS NOT NULL);
CREATE INDEX runner_job_live_waiting ON public.runner_job_live USING btree (runner_id, job_group, withdrawals, created_at, id) WHERE (NOT has_slot);

create table runner_job_plan_names (
  org_id svc_id not null,
  name text collate "C" not null,
  runner_job_id svc_id not null,
  constraint runner_job_plan_names_pkey PRIMARY KEY (org_id, name, runner_job_id)
);

create table runner_job_plans (
  runner_job_id svc_id not null,
  org_id svc_id not null,
  key_id text,
  contents bytea not null,
  names text[] collate "C",
  constraint runner_job_plans_pkey PRIMARY KEY (runner_job_id)
);
alter table runner_job_plans alter column contents set storage external;

create table runner_job_spans (
  org_id svc_id not null,
  runner_job_id svc_id not null,
  trace_id text collate "C" not null,
  span_id text collate "C" not null,
  parent_span_id text collate "C" not null,
  name text not null,
  started_at timestamp with time zone not null,
  duration_ns bigint not null,
  detail jsonb not null,
  created_at timestamp with time zone not null,
  constraint runner_job_spans_pkey PRIMARY KEY (org_id, runner_job_id, trace_id, span_id)
);

create table runner_job_tallies (
  job_group text collate "C" not null,
  type text not null,
  status text not null,
  measure text not null,
  upto double precision not null,
  jobs bigint not null,
  seconds double precision not null,
  constraint runner_job_tallies_pkey PRIMARY KEY (job_group, type, status, measure, upto),
  constraint runner_job_tallies_measure_check CHECK ((measure = ANY (ARRAY['end'::text, 'queue'::text, 'run'::text]))),
  constraint runner_job_tallies_status_check CHECK ((status = ANY (ARRAY['finished'::text, 'failed'::text, 'timed-out'::text, 'not-attempted'::text, 'cancelled'::text])))
);

create table runner_job_tally_mark (
  singleton boolean not null default true,
  tx xid8 not null default pg_current_xact_id(),
  tallied_at timestamp with time zone not null default svc_now(),
  constraint runner_job_tally_mark_pkey PRIMARY KEY (singleton),
  constraint runner_job_tally_mark_singleton_check CHECK (singleton)
);

create table runner_jobs (
  id svc_id not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  job_group text collate "C" not null,
  type text not null,
  operation text not null,
  owner_id text not null default ''::text,
  owner_type text not null default ''::text,
  metadata jsonb not null default '{}'::jsonb,
  queue_timeout bigint not null,
  available_timeout bigint not null,
  execution_timeout bigint not null,
  overall_timeout bigint not null,
  max_executions integer not null,
  stop_grace bigint not null,
  changes_things boolean not null,
  rerun_of svc_id,
  log_stream_id svc_id,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  workflow_id svc_id,
  workflow_step_id svc_id,
  step_job_idx integer,
  constraint runner_jobs_pkey PRIMARY KEY (org_id, id),
  constraint runner_jobs_org_id_runner_id_fkey FOREIGN KEY (org_id, runner_id) REFERENCES runners(org_id, id),
  constraint runner_jobs_available_timeout_check CHECK ((available_timeout > 0)),
  constraint runner_jobs_execution_timeout_check CHECK ((execution_timeout > 0)),
  constraint runner_jobs_max_executions_check CHECK ((max_executions >= 1)),
  constraint runner_jobs_operation_check CHECK ((operation = ANY (ARRAY['exec'::text, 'build'::text, 'create-apply-plan'::text, 'create-teardown-plan'::text, 'apply-plan'::text, 'unknown'::text]))),
  constraint runner_jobs_overall_timeout_check CHECK ((overall_timeout > 0)),
  constraint runner_jobs_queue_timeout_check CHECK ((queue_timeout > 0))
);
CREATE INDEX runner_jobs_by_group ON public.runner_jobs USING btree (org_id, job_group, id);
CREATE INDEX runner_jobs_by_owner ON public.runner_jobs USING btree (org_id, owner_id, id) WHERE (owner_id <> ''::text);
CREATE INDEX runner_jobs_by_runner ON public.runner_jobs USING btree (runner_id, id);
CREATE INDEX runner_jobs_by_type ON public.runner_jobs USING btree (org_id, type, id);
CREATE UNIQUE INDEX runner_jobs_of_step ON public.runner_jobs USING btree (workflow_step_id, step_job_idx) WHERE (workflow_step_id IS NOT NULL);

create table runner_metric_points (
  org_id svc_id not null,
  runner_id svc_id not null,
  runner_job_id text collate "C" not null,
  series text collate "C" not null,
  name text not null,
  kind text not null,
  unit text not null,
  description text not null,
  attributes jsonb not null,
  value jsonb not null,
  at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint runner_metric_points_pkey PRIMARY KEY (org_id, runner_id, runner_job_id, series),
  constraint runner_metric_points_kind_check CHECK ((kind = ANY (ARRAY['gauge'::text, 'sum'::text, 'histogram'::text, 'exponential_histogram'::text, 'summary'::text])))
) with (fillfactor=60);

create table runner_operations (
  id svc_id not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  operation_type text not null,
  status text not null default 'success'::text,
  status_description text not null default ''::text,
  created_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint runner_operations_pkey PRIMARY KEY (id),
  constraint runner_operations_org_id_runner_id_fkey FOREIGN KEY (org_id, runner_id) REFERENCES runners(org_id, id),
  constraint runner_operations_operation_type_check CHECK ((operation_type = ANY (ARRAY['provision'::text, 'provision_service_account'::text, 'reprovision'::text, 'deprovision'::text])))
);
CREATE INDEX runner_operations_by_runner ON public.runner_operations USING btree (runner_id, id);

create table runner_process_beats (
  process_id svc_id not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  last_seen_at timestamp with time zone not null,
  last_beat_at timestamp with time zone,
  previous_beat_at timestamp with time zone,
  beats bigint not null default 0,
  alive_time bigint not null default 0,
  version text not null default ''::text,
  constraint runner_process_beats_pkey PRIMARY KEY (process_id),
  constraint runner_process_beats_process_id_fkey FOREIGN KEY (process_id) REFERENCES runner_processes(id) ON DELETE CASCADE
) with (fillfactor=40, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX runner_process_beats_by_runner ON public.runner_process_beats USING btree (runner_id);

create table runner_process_shutdowns (
  id svc_id not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  runner_process_id svc_id not null,
  type text not null,
  status text not null default 'requested'::text,
  status_description text not null default ''::text,
  metadata jsonb not null default '{}'::jsonb,
  deadline_at timestamp with time zone,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  reason text not null default ''::text,
  execution_ids text[] not null default '{}'::text[],
  constraint runner_process_shutdowns_pkey PRIMARY KEY (id),
  constraint runner_process_shutdowns_org_id_runner_process_id_fkey FOREIGN KEY (org_id, runner_process_id) REFERENCES runner_processes(org_id, id),
  constraint runner_process_shutdowns_check CHECK (((deadline_at IS NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])))),
  constraint runner_process_shutdowns_reason_check CHECK ((length(reason) <= 1000)),
  constraint runner_process_shutdowns_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'in-progress'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint runner_process_shutdowns_type_check CHECK ((type = ANY (ARRAY['graceful'::text, 'force'::text, 'restart'::text])))
);
CREATE INDEX runner_process_shutdowns_by_process ON public.runner_process_shutdowns USING btree (runner_process_id, created_at);
CREATE INDEX runner_process_shutdowns_due ON public.runner_process_shutdowns USING btree (deadline_at) WHERE (deadline_at IS NOT NULL);
CREATE INDEX runner_process_shutdowns_open ON public.runner_process_shutdowns USING btree (runner_process_id) WHERE (deadline_at IS NOT NULL);

create table runner_processes (
  id svc_id not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  type text not null,
  version text not null default ''::text,
  is_ours boolean not null default false,
  serves jsonb,
  secret_digest bytea,
  status text not null default 'pending'::text,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null default svc_now(),
  draining text,
  going_away_at timestamp with time zone,
  must_register_anew boolean not null default false,
  taken_over_by svc_id,
  started_at timestamp with time zone not null default svc_now(),
  first_beat_at timestamp with time zone,
  deadline_at timestamp with time zone,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  takes_no_jobs text,
  by_beat boolean not null default false,
  binds_plans boolean not null default false,
  next_restart_at timestamp with time zone,
  previous_restart_at timestamp with time zone,
  reads_plans integer,
  constraint runner_processes_pkey PRIMARY KEY (id),
  constraint runner_processes_org_id_id_key UNIQUE (org_id, id),
  constraint runner_processes_org_id_runner_id_fkey FOREIGN KEY (org_id, runner_id) REFERENCES runners(org_id, id),
  constraint runner_processes_check CHECK (((deadline_at IS NULL) = (status = ANY (ARRAY['inactive'::text, 'shut-down'::text])))),
  constraint runner_processes_draining_check CHECK ((draining = ANY (ARRAY['graceful'::text, 'force'::text, 'restart'::text]))),
  constraint runner_processes_serves_check CHECK ((jsonb_typeof(serves) = 'object'::text)),
  constraint runner_processes_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'offline'::text, 'inactive'::text, 'pending-shutdown'::text, 'shutting-down'::text, 'shut-down'::text]))),
  constraint runner_processes_type_check CHECK ((type = ANY (ARRAY['mng'::text, 'install'::text, 'build'::text, 'org'::text, ''::text])))
);
CREATE INDEX runner_processes_alive ON public.runner_processes USING btree (runner_id) WHERE (deadline_at IS NOT NULL);
CREATE INDEX runner_processes_beaten ON public.runner_processes USING btree (runner_id) WHERE (first_beat_at IS NOT NULL);
CREATE UNIQUE INDEX runner_processes_by_beat ON public.runner_processes USING btree (runner_id, type) WHERE (by_beat AND (status <> 'shut-down'::text));
CREATE INDEX runner_processes_by_runner ON public.runner_processes USING btree (runner_id, created_at);
CREATE INDEX runner_processes_silence ON public.runner_processes USING btree (deadline_at) WHERE (deadline_at IS NOT NULL);

create table runner_queues (
  runner_id svc_id not null,
  job_group text collate "C" not null,
  org_id svc_id not null,
  parallelism integer not null default 1,
  max_depth integer not null default 10000,
  offered integer not null default 0,
  held text,
  slots integer not null default 0,
  in_use integer not null default 0,
  waiting integer not null default 0,
  created_at timestamp with time zone not null default svc_now(),
  constraint runner_queues_pkey PRIMARY KEY (runner_id, job_group),
  constraint runner_queues_org_id_runner_id_fkey FOREIGN KEY (org_id, runner_id) REFERENCES runners(org_id, id),
  constraint runner_queues_in_use_check CHECK ((in_use >= 0)),
  constraint runner_queues_job_group_check CHECK ((job_group = ANY (ARRAY['health-checks'::text, 'sync'::text, 'build'::text, 'deploy'::text, 'sandbox'::text, 'runner'::text, 'operations'::text, 'management'::text, 'actions'::text, 'image-actions'::text, ''::text]))),
  constraint runner_queues_offered_check CHECK ((offered >= 0)),
  constraint runner_queues_parallelism_check CHECK ((parallelism >= 0)),
  constraint runner_queues_slots_check CHECK ((slots >= 0)),
  constraint runner_queues_waiting_check CHECK ((waiting >= 0))
) with (fillfactor=30, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_cost_limit=2000);

create table runner_rollout_targets (
  rollout_id svc_id not null,
  "position" integer not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  process_id svc_id not null,
  shutdown_id svc_id not null,
  status text not null default 'waiting'::text,
  status_description text not null default ''::text,
  ordered_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint runner_rollout_targets_pkey PRIMARY KEY (rollout_id, "position"),
  constraint runner_rollout_targets_org_id_rollout_id_fkey FOREIGN KEY (org_id, rollout_id) REFERENCES runner_rollouts(org_id, id) ON DELETE CASCADE,
  constraint runner_rollout_targets_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'ordered'::text, 'done'::text, 'skipped'::text, 'failed'::text])))
);
CREATE INDEX runner_rollout_targets_open ON public.runner_rollout_targets USING btree (rollout_id, status, "position") WHERE (status = ANY (ARRAY['waiting'::text, 'ordered'::text]));

create table runner_rollouts (
  id svc_id not null,
  org_id svc_id not null,
  runner_group_id svc_id,
  type text not null,
  status text not null default 'requested'::text,
  status_description text not null default ''::text,
  reason text not null default ''::text,
  max_at_once integer not null,
  include_last boolean not null default false,
  cut_after interval not null,
  cancelled_by_id text,
  deadline_at timestamp with time zone,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint runner_rollouts_pkey PRIMARY KEY (id),
  constraint runner_rollouts_org_id_id_key UNIQUE (org_id, id),
  constraint runner_rollouts_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint runner_rollouts_org_id_runner_group_id_fkey FOREIGN KEY (org_id, runner_group_id) REFERENCES runner_groups(org_id, id) ON DELETE CASCADE,
  constraint runner_rollouts_check CHECK (((deadline_at IS NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])))),
  constraint runner_rollouts_max_at_once_check CHECK (((max_at_once >= 1) AND (max_at_once <= 1000))),
  constraint runner_rollouts_reason_check CHECK ((length(reason) <= 1000)),
  constraint runner_rollouts_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'in-progress'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint runner_rollouts_type_check CHECK ((type = ANY (ARRAY['graceful'::text, 'force'::text, 'restart'::text])))
);
CREATE INDEX runner_rollouts_due ON public.runner_rollouts USING btree (deadline_at) WHERE (deadline_at IS NOT NULL);
CREATE INDEX runner_rollouts_of_group ON public.runner_rollouts USING btree (runner_group_id) WHERE (runner_group_id IS NOT NULL);
CREATE INDEX runner_rollouts_of_org ON public.runner_rollouts USING btree (org_id, created_at, id);

create table runner_telemetry (
  org_id svc_id not null,
  runner_id svc_id not null,
  runner_job_id text collate "C" not null default ''::text,
  spans integer not null default 0,
  spans_dropped bigint not null default 0,
  series integer not null default 0,
  series_dropped bigint not null default 0,
  updated_at timestamp with time zone not null,
  constraint runner_telemetry_pkey PRIMARY KEY (org_id, runner_id, runner_job_id)
);

create table runners (
  id svc_id not null,
  org_id svc_id not null,
  runner_group_id svc_id not null,
  name text not null,
  display_name text not null default ''::text,
  lifecycle text not null default 'enabled'::text,
  status text not null default 'awaiting-heartbeat'::text,
  status_description text not null default 'no process has registered yet'::text,
  status_at timestamp with time zone not null default svc_now(),
  warnings text[] not null default '{}'::text[],
  restart_requested boolean not null default false,
  paused_at timestamp with time zone,
  paused_until timestamp with time zone,
  paused_note text,
  paused_by_id text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  constraint runners_pkey PRIMARY KEY (id),
  constraint runners_org_id_id_key UNIQUE (org_id, id),
  constraint runners_org_id_runner_group_id_fkey FOREIGN KEY (org_id, runner_group_id) REFERENCES runner_groups(org_id, id),
  constraint runners_check CHECK (((paused_until IS NULL) OR (paused_at IS NOT NULL))),
  constraint runners_lifecycle_check CHECK ((lifecycle = ANY (ARRAY['enabled'::text, 'disabled'::text, 'deprovisioned'::text, 'deleted'::text]))),
  constraint runners_status_check CHECK ((status = ANY (ARRAY['error'::text, 'active'::text, 'pending'::text, 'provisioning'::text, 'deprovisioning'::text, 'deprovisioned'::text, 'reprovisioning'::text, 'offline'::text, 'awaiting-install-stack-run'::text, 'awaiting-heartbeat'::text, 'disabled'::text, 'unknown'::text])))
);
CREATE INDEX runners_by_group ON public.runners USING btree (runner_group_id);
CREATE INDEX runners_by_org ON public.runners USING btree (org_id, created_at, id) WHERE (lifecycle <> 'deleted'::text);
CREATE UNIQUE INDEX runners_name ON public.runners USING btree (org_id, name) WHERE (lifecycle <> 'deleted'::text);
CREATE INDEX runners_pause_ends ON public.runners USING btree (paused_until) WHERE (paused_until IS NOT NULL);

create table seal_brokers (
  broker_id text not null,
  key_id text collate "C" not null,
  changed_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  seen_at timestamp with time zone not null default svc_now(),
  constraint seal_brokers_pkey PRIMARY KEY (broker_id)
);

create table seal_keys (
  id text collate "C" not null,
  proof bytea not null,
  created_at timestamp with time zone not null default svc_now(),
  constraint seal_keys_pkey PRIMARY KEY (id),
  constraint seal_keys_proof_check CHECK ((length(proof) = 32))
);

create unlogged table sent_pieces (
  upload_id svc_id not null,
  n integer not null,
  org_id svc_id not null,
  body bytea not null,
  created_at timestamp with time zone not null default svc_now(),
  constraint sent_pieces_pkey PRIMARY KEY (upload_id, n)
);
alter table sent_pieces alter column body set storage external;

create table shown_plans (
  id svc_id not null,
  org_id svc_id not null,
  workflow_id svc_id not null,
  key_id text,
  contents bytea not null,
  constraint shown_plans_pkey PRIMARY KEY (id),
  constraint shown_plans_org_id_workflow_id_fkey FOREIGN KEY (org_id, workflow_id) REFERENCES workflows(org_id, id)
);
CREATE INDEX shown_plans_of ON public.shown_plans USING btree (workflow_id);

create table sign_in_identities (
  issuer text not null,
  subject text not null,
  account_id svc_id not null,
  created_at timestamp with time zone not null default svc_now(),
  last_used_at timestamp with time zone not null default svc_now(),
  constraint sign_in_identities_pkey PRIMARY KEY (issuer, subject),
  constraint sign_in_identities_account_id_key UNIQUE (account_id),
  constraint sign_in_identities_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint sign_in_identities_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 2000))),
  constraint sign_in_identities_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 200)))
);

create table source_blobs (
  id svc_id not null,
  org_id svc_id not null,
  digest text not null,
  size_bytes bigint not null,
  parts integer not null,
  key_id text,
  sealed_key bytea not null,
  fingerprint bytea not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone not null,
  constraint source_blobs_pkey PRIMARY KEY (org_id, id),
  constraint source_blobs_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id)
);
CREATE UNIQUE INDEX source_blobs_by_digest ON public.source_blobs USING btree (org_id, digest);
CREATE UNIQUE INDEX source_blobs_by_id ON public.source_blobs USING btree (id);
CREATE INDEX source_blobs_by_use ON public.source_blobs USING btree (used_at);

create table stats_mark (
  singleton boolean not null default true,
  sampled_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  activity_to timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint stats_mark_pkey PRIMARY KEY (singleton),
  constraint stats_mark_singleton_check CHECK (singleton)
);

create table status_history (
  owner_id svc_id not null,
  seq bigint not null generated always as identity,
  org_id svc_id not null,
  status text not null,
  description text not null default ''::text,
  metadata jsonb not null default '{}'::jsonb,
  at timestamp with time zone not null,
  constraint status_history_pkey PRIMARY KEY (owner_id, seq)
);
CREATE INDEX status_history_age ON public.status_history USING brin (at);

create table stopping_executions (
  execution_id svc_id not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  job_group text collate "C" not null,
  runner_job_id svc_id not null,
  process_id svc_id,
  holders text[],
  is_ours boolean not null,
  reason text not null,
  holds_slot boolean not null default true,
  started_at timestamp with time zone not null,
  slot_until timestamp with time zone not null,
  gone_by timestamp with time zone not null,
  deadline_at timestamp with time zone not null,
  constraint stopping_executions_pkey PRIMARY KEY (execution_id),
  constraint stopping_executions_runner_id_job_group_fkey FOREIGN KEY (runner_id, job_group) REFERENCES runner_queues(runner_id, job_group),
  constraint stopping_executions_check CHECK ((gone_by >= slot_until)),
  constraint stopping_executions_reason_check CHECK ((reason = ANY (ARRAY['cancelled'::text, 'timed-out'::text, 'forced'::text, 'lost'::text])))
);
CREATE INDEX stopping_executions_by_job ON public.stopping_executions USING btree (runner_job_id);
CREATE INDEX stopping_executions_by_runner ON public.stopping_executions USING btree (runner_id, process_id);
CREATE INDEX stopping_executions_due ON public.stopping_executions USING btree (deadline_at);

create table svc_functions (
  name text not null,
  checksum text not null,
  revision integer not null,
  applied_at timestamp with time zone not null default clock_timestamp(),
  constraint svc_functions_pkey PRIMARY KEY (name)
);

create table svc_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default clock_timestamp(),
  constraint svc_migrations_pkey PRIMARY KEY (name)
);

create table terraform_rescued_states (
  id svc_id not null,
  org_id svc_id not null,
  workspace_id svc_id not null,
  serial bigint,
  lineage text,
  terraform_version text not null default ''::text,
  size_bytes bigint not null,
  parts integer not null,
  key_id text,
  sealed_key bytea not null,
  fingerprint bytea not null,
  runner_job_id svc_id,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint terraform_rescued_states_pkey PRIMARY KEY (org_id, id),
  constraint terraform_rescued_states_org_id_workspace_id_fkey FOREIGN KEY (org_id, workspace_id) REFERENCES terraform_workspaces(org_id, id)
);
CREATE UNIQUE INDEX terraform_rescued_states_by_id ON public.terraform_rescued_states USING btree (id);
CREATE INDEX terraform_rescued_states_by_workspace ON public.terraform_rescued_states USING btree (workspace_id, id);

create table terraform_state_parts (
  object_id svc_id not null,
  n integer not null,
  org_id svc_id not null,
  body bytea not null,
  constraint terraform_state_parts_pkey PRIMARY KEY (object_id, n)
);
alter table terraform_state_parts alter column body set storage external;

create table terraform_state_uploads (
  object_id svc_id not null,
  org_id svc_id not null,
  created_at timestamp with time zone not null default svc_now(),
  constraint terraform_state_uploads_pkey PRIMARY KEY (object_id)
);
CREATE INDEX terraform_state_uploads_age ON public.terraform_state_uploads USING btree (created_at);

create table terraform_workspace_events (
  id bigint not null generated always as identity,
  org_id svc_id not null,
  workspace_id svc_id not null,
  kind text not null,
  actor_id text not null,
  reason text not null default ''::text,
  info jsonb not null default '{}'::jsonb,
  at timestamp with time zone not null,
  constraint terraform_workspace_events_pkey PRIMARY KEY (id),
  constraint terraform_workspace_events_org_id_workspace_id_fkey FOREIGN KEY (org_id, workspace_id) REFERENCES terraform_workspaces(org_id, id),
  constraint terraform_workspace_events_kind_check CHECK ((kind = ANY (ARRAY['locked'::text, 'unlocked'::text, 'force-unlocked'::text, 'blocked'::text, 'unblocked'::text, 'rolled-back'::text, 'state-deleted'::text, 'deleted'::text, 'restored'::text, 'state-rescued'::text, 'rescued-state-pushed'::text, 'rescued-state-discarded'::text])))
);
CREATE INDEX terraform_workspace_events_by_workspace ON public.terraform_workspace_events USING btree (workspace_id, id);

create table terraform_workspace_locks (
  workspace_id svc_id not null,
  org_id svc_id not null,
  id svc_id not null,
  lock_id text not null,
  info jsonb not null,
  runner_job_id svc_id,
  execution_id svc_id,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint terraform_workspace_locks_pkey PRIMARY KEY (workspace_id),
  constraint terraform_workspace_locks_org_id_workspace_id_fkey FOREIGN KEY (org_id, workspace_id) REFERENCES terraform_workspaces(org_id, id)
);
CREATE INDEX terraform_workspace_locks_by_job ON public.terraform_workspace_locks USING btree (runner_job_id);

create table terraform_workspace_state_jsons (
  workspace_id svc_id not null,
  org_id svc_id not null,
  id svc_id not null,
  size_bytes bigint not null,
  parts integer not null,
  key_id text,
  sealed_key bytea not null,
  fingerprint bytea not null,
  runner_job_id svc_id,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint terraform_workspace_state_jsons_pkey PRIMARY KEY (workspace_id),
  constraint terraform_workspace_state_jsons_org_id_workspace_id_fkey FOREIGN KEY (org_id, workspace_id) REFERENCES terraform_workspaces(org_id, id)
);

create table terraform_workspace_states (
  id svc_id not null,
  org_id svc_id not null,
  workspace_id svc_id not null,
  revision integer not null,
  serial bigint,
  lineage text,
  terraform_version text not null default ''::text,
  size_bytes bigint not null,
  parts integer not null,
  key_id text,
  sealed_key bytea not null,
  fingerprint bytea not null,
  rolled_back_from integer,
  runner_job_id svc_id,
  created_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  constraint terraform_workspace_states_pkey PRIMARY KEY (org_id, id),
  constraint terraform_workspace_states_workspace_id_revision_key UNIQUE (workspace_id, revision),
  constraint terraform_workspace_states_org_id_workspace_id_fkey FOREIGN KEY (org_id, workspace_id) REFERENCES terraform_workspaces(org_id, id),
  constraint terraform_workspace_states_revision_check CHECK ((revision > 0))
);
CREATE UNIQUE INDEX terraform_workspace_states_by_id ON public.terraform_workspace_states USING btree (id);

create table terraform_workspaces (
  id svc_id not null,
  org_id svc_id not null,
  owner_id text not null default ''::text,
  owner_type text not null default ''::text,
  revision integer not null default 0,
  state_id svc_id,
  blocked_at timestamp with time zone,
  blocked_by_id text,
  blocked_reason text,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  deleted_at timestamp with time zone,
  blocked_kind text,
  blocked_job_id svc_id,
  constraint terraform_workspaces_pkey PRIMARY KEY (org_id, id),
  constraint terraform_workspaces_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint terraform_workspaces_check CHECK (((blocked_at IS NULL) = (blocked_reason IS NULL)))
);
CREATE INDEX terraform_workspaces_blocked ON public.terraform_workspaces USING btree (org_id) WHERE ((blocked_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX terraform_workspaces_by_owner ON public.terraform_workspaces USING btree (org_id, owner_id, id) WHERE (deleted_at IS NULL);
CREATE INDEX terraform_workspaces_deleted ON public.terraform_workspaces USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

create table tokens (
  id svc_id not null,
  org_id svc_id not null,
  digest bytea not null,
  hint text not null,
  kind text not null,
  token_type text not null,
  name text not null default ''::text,
  account_id svc_id,
  runner_id svc_id,
  role_type text,
  issuer text not null default ''::text,
  source_id text not null default ''::text,
  source_type text not null default ''::text,
  issued_at timestamp with time zone not null default svc_now(),
  expires_at timestamp with time zone,
  used_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  replaced_by svc_id,
  created_at timestamp with time zone not null default svc_now(),
  updated_at timestamp with time zone not null default svc_now(),
  created_by_id text not null default ''::text,
  reach text not null default 'org'::text,
  grants text[] not null default '{}'::text[],
  bound_type text,
  bound_id svc_id,
  role_id svc_id,
  constraint tokens_pkey PRIMARY KEY (id),
  constraint tokens_digest_key UNIQUE (digest),
  constraint tokens_org_id_id_key UNIQUE (org_id, id),
  constraint tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint tokens_org_id_replaced_by_fkey FOREIGN KEY (org_id, replaced_by) REFERENCES tokens(org_id, id),
  constraint tokens_org_id_runner_id_fkey FOREIGN KEY (org_id, runner_id) REFERENCES runners(org_id, id),
  constraint tokens_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id),
  constraint tokens_bound CHECK (((bound_type IS NULL) = (bound_id IS NULL))),
  constraint tokens_bound_reach CHECK (((bound_type IS NULL) OR ((reach = 'org'::text) AND (runner_id IS NULL)))),
  constraint tokens_bound_type_check CHECK ((bound_type = ANY (ARRAY['apps'::text, 'installs'::text]))),
  constraint tokens_check CHECK (((kind <> 'pat'::text) OR (account_id IS NOT NULL))),
  constraint tokens_check1 CHECK (((kind = 'pat'::text) OR (role_type IS NOT NULL))),
  constraint tokens_check2 CHECK (((kind = ANY (ARRAY['rt'::text, 'boot'::text])) = (runner_id IS NOT NULL))),
  constraint tokens_check3 CHECK (((kind <> ALL (ARRAY['rt'::text, 'boot'::text])) OR (role_type = 'runner'::text))),
  constraint tokens_check4 CHECK (((kind <> 'boot'::text) OR (expires_at IS NOT NULL))),
  constraint tokens_check5 CHECK (((reach = 'org'::text) OR (kind = 'pat'::text))),
  constraint tokens_check6 CHECK (((grants = '{}'::text[]) OR (role_type IS NOT NULL))),
  constraint tokens_digest_check CHECK ((length(digest) = 32)),
  constraint tokens_grants_check CHECK ((grants <@ ARRAY['plans.read'::text, 'plans.secrets'::text, 'signals.data'::text])),
  constraint tokens_kind_check CHECK ((kind = ANY (ARRAY['pat'::text, 'sa'::text, 'rt'::text, 'boot'::text, 'st'::text, 'it'::text]))),
  constraint tokens_reach_check CHECK ((reach = ANY (ARRAY['org'::text, 'account'::text]))),
  constraint tokens_role_type_check CHECK ((role_type = ANY (ARRAY['org_admin'::text, 'org_support'::text, 'org_read_only'::text, 'org_builder'::text, 'installer'::text, 'runner'::text, 'hosted-installer'::text, 'stack'::text, 'telemetry_collector'::text]))),
  constraint tokens_token_type_check CHECK ((token_type = ANY (ARRAY['auth'::text, 'auth0'::text, 'admin'::text, 'static'::text, 'integration'::text, 'canary'::text, 'svc'::text, 'federated'::text, 'oauth'::text])))
) with (fillfactor=80);
CREATE INDEX tokens_by_account ON public.tokens USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX tokens_by_org ON public.tokens USING btree (org_id, created_at, id);
CREATE INDEX tokens_by_role ON public.tokens USING btree (role_id) WHERE (role_id IS NOT NULL);
CREATE INDEX tokens_by_runner ON public.tokens USING btree (runner_id) WHERE (runner_id IS NOT NULL);
CREATE UNIQUE INDEX tokens_replaced_by ON public.tokens USING btree (replaced_by) WHERE (replaced_by IS NOT NULL);
CREATE TRIGGER tokens_changed AFTER UPDATE OF revoked_at, expires_at, role_type, runner_id ON public.tokens FOR EACH ROW WHEN (((old.revoked_at IS DISTINCT FROM new.revoked_at) OR (old.expires_at IS DISTINCT FROM new.expires_at) OR (old.role_type IS DISTINCT FROM new.role_type) OR ((old.runner_id)::text IS DISTINCT FROM (new.runner_id)::text))) EXECUTE FUNCTION tokens_changed();
CREATE TRIGGER tokens_deleted AFTER DELETE ON public.tokens FOR EACH ROW EXECUTE FUNCTION tokens_changed();

create table turn_backlog (
  n bigint not null generated always as identity,
  org_id svc_id not null,
  type text not null,
  signal_id svc_id not null,
  lease_id text,
  callback integer,
  begins integer,
  constraint turn_backlog_pkey PRIMARY KEY (org_id, type, n),
  constraint turn_backlog_check CHECK (((num_nulls(lease_id, callback) = 1) AND (num_nulls(callback, begins) = ANY (ARRAY[0, 2]))))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);

create table webhook_attempts (
  id svc_id not null,
  org_id svc_id not null,
  delivery_id svc_id not null,
  n integer not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  result text not null,
  response_status integer,
  response_body text,
  error_code text,
  error text,
  at timestamp with time zone not null,
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, at, id),
  constraint webhook_attempts_result_check CHECK ((result = ANY (ARRAY['delivered'::text, 'failed'::text])))
) partition by RANGE (at);
CREATE INDEX webhook_attempts_at ON ONLY public.webhook_attempts USING brin (at);

create table webhook_deliveries (
  id svc_id not null,
  org_id svc_id not null,
  webhook_id svc_id not null,
  event_id svc_id not null,
  workflow_id svc_id not null,
  seq bigint not null,
  stream svc_id not null,
  status text not null default 'pending'::text,
  tries integer not null default 0,
  attempts integer not null default 0,
  is_resent boolean not null default false,
  response_status integer,
  error_code text,
  next_at timestamp with time zone,
  last_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (org_id, id),
  constraint webhook_deliveries_org_id_event_id_webhook_id_key UNIQUE (org_id, event_id, webhook_id),
  constraint webhook_deliveries_org_id_event_id_fkey FOREIGN KEY (org_id, event_id) REFERENCES events(org_id, id) ON DELETE CASCADE,
  constraint webhook_deliveries_org_id_webhook_id_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks(org_id, id),
  constraint webhook_deliveries_check CHECK (((next_at IS NULL) OR (status = 'pending'::text))),
  constraint webhook_deliveries_check1 CHECK (((status = 'pending'::text) = (finished_at IS NULL))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE INDEX webhook_deliveries_by_webhook ON public.webhook_deliveries USING btree (webhook_id, id);
CREATE INDEX webhook_deliveries_open ON public.webhook_deliveries USING btree (webhook_id, stream, seq) WHERE (status = 'pending'::text);

create table webhook_lines (
  webhook_id svc_id not null,
  org_id svc_id not null,
  due_at timestamp with time zone not null,
  rests_until timestamp with time zone,
  lease_id text,
  lease_until timestamp with time zone,
  constraint webhook_lines_pkey PRIMARY KEY (webhook_id),
  constraint webhook_lines_org_id_webhook_id_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks(org_id, id),
  constraint webhook_lines_check CHECK (((lease_id IS NULL) = (lease_until IS NULL)))
);
CREATE INDEX webhook_lines_due ON public.webhook_lines USING btree (due_at);

create table webhook_streams (
  webhook_id svc_id not null,
  stream svc_id not null,
  next_at timestamp with time zone not null,
  constraint webhook_streams_pkey PRIMARY KEY (webhook_id, stream)
);
CREATE INDEX webhook_streams_due ON public.webhook_streams USING btree (webhook_id, next_at);

create table webhooks (
  id svc_id not null,
  org_id svc_id not null,
  url text not null,
  url_key text not null,
  interests text not null,
  match text,
  key_id text,
  secret bytea,
  previous_key_id text,
  previous_secret bytea,
  previous_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by_id text not null default ''::text,
  deleted_at timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  failing_since timestamp with time zone,
  failing_events integer not null default 0,
  notice smallint not null default 0,
  version bigint not null default 1,
  constraint webhooks_pkey PRIMARY KEY (org_id, id),
  constraint webhooks_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint webhooks_check CHECK (((previous_secret IS NULL) = (previous_until IS NULL))),
  constraint webhooks_check1 CHECK (((deleted_at IS NULL) OR ((secret IS NULL) AND (previous_secret IS NULL)))),
  constraint webhooks_disabled CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
  constraint webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  constraint webhooks_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);
CREATE UNIQUE INDEX webhooks_subscription ON public.webhooks USING btree (org_id, md5(url_key), md5(COALESCE(match, ''::text))) WHERE (deleted_at IS NULL);

create table workflow_approvals (
  id svc_id not null,
  org_id svc_id not null,
  workflow_id svc_id not null,
  step_id svc_id not null,
  type text not null,
  plan_digest text not null,
  key_id text,
  contents bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  response_id svc_id,
  response_type text,
  note text not null default ''::text,
  responded_at timestamp with time zone,
  responded_by_id text not null default ''::text,
  constraint workflow_approvals_pkey PRIMARY KEY (id),
  constraint workflow_approvals_step_id_key UNIQUE (step_id),
  constraint workflow_approvals_org_id_workflow_id_fkey FOREIGN KEY (org_id, workflow_id) REFERENCES workflows(org_id, id),
  constraint workflow_approvals_step_id_fkey FOREIGN KEY (step_id) REFERENCES workflow_steps(id),
  constraint workflow_approvals_check CHECK ((((response_type IS NULL) = (responded_at IS NULL)) AND ((response_type IS NULL) = (response_id IS NULL)))),
  constraint workflow_approvals_response_type_check CHECK ((response_type = ANY (ARRAY['approve'::text, 'auto-approve'::text, 'deny'::text, 'deny-skip-current'::text, 'deny-skip-current-and-dependents'::text, 'retry'::text])))
);
CREATE INDEX workflow_approvals_of ON public.workflow_approvals USING btree (workflow_id);

create table workflow_givens (
  workflow_id svc_id not null,
  org_id svc_id not null,
  key_id text,
  contents bytea not null,
  constraint workflow_givens_pkey PRIMARY KEY (workflow_id),
  constraint workflow_givens_org_id_workflow_id_fkey FOREIGN KEY (org_id, workflow_id) REFERENCES workflows(org_id, id)
);

create table workflow_groups (
  id svc_id not null,
  org_id svc_id not null,
  workflow_id svc_id not null,
  name text not null,
  group_idx integer not null,
  group_retry_idx integer not null default 0,
  parallel boolean not null default false,
  result_directive text,
  created_at timestamp with time zone not null,
  constraint workflow_groups_pkey PRIMARY KEY (id),
  constraint workflow_groups_workflow_id_group_idx_group_retry_idx_key UNIQUE (workflow_id, group_idx, group_retry_idx),
  constraint workflow_groups_org_id_workflow_id_fkey FOREIGN KEY (org_id, workflow_id) REFERENCES workflows(org_id, id),
  constraint workflow_groups_result_directive_check CHECK ((result_directive = ANY (ARRAY['continue'::text, 'stop'::text, 'retry-group'::text, 'skip-group'::text])))
);

create table workflow_runs (
  id svc_id not null,
  org_id svc_id not null,
  workflow_id svc_id not null,
  type text not null,
  status text not null,
  start_from_idx integer not null default 0,
  trigger_step_id svc_id,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint workflow_runs_pkey PRIMARY KEY (id),
  constraint workflow_runs_org_id_workflow_id_fkey FOREIGN KEY (org_id, workflow_id) REFERENCES workflows(org_id, id),
  constraint workflow_runs_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in-progress'::text, 'success'::text, 'error'::text, 'cancelled'::text]))),
  constraint workflow_runs_type_check CHECK ((type = ANY (ARRAY['initial'::text, 'retry'::text, 'skip'::text, 'resume'::text])))
);
CREATE INDEX workflow_runs_of ON public.workflow_runs USING btree (workflow_id, id);

create table workflow_steps (
  id svc_id not null,
  org_id svc_id not null,
  workflow_id svc_id not null,
  group_id svc_id not null,
  idx integer not null,
  retry_index integer not null default 0,
  kind text not null,
  name text not null,
  params jsonb not null default '{}'::jsonb,
  execution_type text not null,
  status text not null,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null,
  result_directive text,
  target_type text not null default ''::text,
  target_id text not null default ''::text,
  job_id svc_id,
  job_idx integer not null default 0,
  error jsonb,
  is_retried boolean not null default false,
  is_told boolean not null default false,
  deadline_at timestamp with time zone,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint workflow_steps_pkey PRIMARY KEY (id),
  constraint workflow_steps_group_id_idx_retry_index_key UNIQUE (group_id, idx, retry_index),
  constraint workflow_steps_group_id_fkey FOREIGN KEY (group_id) REFERENCES workflow_groups(id),
  constraint workflow_steps_org_id_workflow_id_fkey FOREIGN KEY (org_id, workflow_id) REFERENCES workflows(org_id, id),
  constraint workflow_steps_execution_type_check CHECK ((execution_type = ANY (ARRAY['system'::text, 'user'::text, 'approval'::text, 'skipped'::text, 'hidden'::text]))),
  constraint workflow_steps_result_directive_check CHECK ((result_directive = ANY (ARRAY['continue'::text, 'stop'::text, 'retry'::text, 'retry-group'::text, 'skip-group'::text, 'await-approval'::text]))),
  constraint workflow_steps_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in-progress'::text, 'checking-plan'::text, 'approval-awaiting'::text, 'failed-pending-retry'::text, 'success'::text, 'approved'::text, 'auto-skipped'::text, 'user-skipped'::text, 'approval-denied'::text, 'approval-expired'::text, 'approval-retry'::text, 'error'::text, 'cancelled'::text, 'discarded'::text, 'not-attempted'::text])))
);
CREATE INDEX workflow_steps_awaiting ON public.workflow_steps USING btree (org_id, id) WHERE (status = 'approval-awaiting'::text);
CREATE INDEX workflow_steps_for_runner ON public.workflow_steps USING btree (target_id) WHERE ((status = 'in-progress'::text) AND (kind = 'healthy'::text));
CREATE INDEX workflow_steps_of ON public.workflow_steps USING btree (workflow_id);

create table workflows (
  id svc_id not null,
  org_id svc_id not null,
  type text not null,
  owner_type text not null,
  owner_id svc_id not null,
  status text not null,
  status_description text not null default ''::text,
  status_at timestamp with time zone not null,
  role text not null default ''::text,
  plan_only boolean not null default false,
  approval_option text not null,
  metadata jsonb not null default '{}'::jsonb,
  params jsonb not null default '{}'::jsonb,
  app_config_id svc_id,
  signal_id svc_id not null,
  queue_id svc_id not null,
  is_cancelling boolean not null default false,
  error jsonb,
  faults integer not null default 0,
  version bigint not null default 1,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  created_by_id text not null default ''::text,
  parent_id svc_id,
  parent_step_id svc_id,
  child_key text,
  depth integer not null default 0,
  shares_place boolean not null default false,
  chain text[],
  prevents_self_approval boolean not null default false,
  approve_all_chain text[],
  constraint workflows_pkey PRIMARY KEY (org_id, id),
  constraint workflows_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint workflows_org_id_queue_id_fkey FOREIGN KEY (org_id, queue_id) REFERENCES queues(org_id, id),
  constraint workflows_approval_option_check CHECK ((approval_option = ANY (ARRAY['prompt'::text, 'approve-all'::text]))),
  constraint workflows_depth_check CHECK (((depth >= 0) AND (depth <= 3))),
  constraint workflows_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint workflows_owner_type_check CHECK ((owner_type = ANY (ARRAY['installs'::text, 'apps'::text, 'app_branches'::text]))),
  constraint workflows_parent CHECK ((((parent_id IS NULL) = (depth = 0)) AND ((parent_id IS NULL) = (parent_step_id IS NULL)) AND ((parent_id IS NULL) = (child_key IS NULL)) AND ((depth > 0) OR (NOT shares_place)))),
  constraint workflows_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in-progress'::text, 'approval-awaiting'::text, 'failed-pending-retry'::text, 'error'::text, 'success'::text, 'cancelled'::text])))
);
CREATE INDEX workflows_age ON public.workflows USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX workflows_by_org ON public.workflows USING btree (org_id, id);
CREATE INDEX workflows_by_owner ON public.workflows USING btree (owner_id, id);
CREATE INDEX workflows_changers ON public.workflows USING btree (owner_id, created_by_id) WHERE (type <> 'action_workflow_run'::text);
CREATE UNIQUE INDEX workflows_child ON public.workflows USING btree (parent_step_id, child_key) WHERE (parent_step_id IS NOT NULL);
CREATE INDEX workflows_children ON public.workflows USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX workflows_open ON public.workflows USING btree (owner_id) WHERE (status <> ALL (ARRAY['success'::text, 'error'::text, 'cancelled'::text]));
CREATE UNIQUE INDEX workflows_signal ON public.workflows USING btree (signal_id, (
CASE
    WHEN shares_place THEN (id)::text
    ELSE ''::text
END));

function account_role_fits() returns trigger -- functions/before-tables.sql
function account_roles_changed() returns trigger -- functions/before-tables.sql
function act_at(deadline timestamp with time zone, b broker_listening) returns timestamp with time zone -- functions/clocks.sql
function add_account_record(draft jsonb, most integer) returns TABLE(id text, account_id text, name text, contents jsonb, created_at timestamp with time zone, updated_at timestamp with time zone) -- functions/account-records.sql
function add_app_config_part(org text, app text, config text, part json, most json) returns text -- functions/app-config-parts.sql
function add_app_config_parts(org text, app text, config text, parts json, most json) returns text -- functions/app-config-files.sql
function add_counts(a jsonb, b jsonb) returns jsonb -- functions/rollups.sql
function add_install_config(org text, install text, draft jsonb) returns text -- functions/install-configs.sql
function add_named_part(org text, app text, config text, part json, most json) returns TABLE(outcome text, id text) -- functions/named-parts.sql
function adopt_restored_events() returns bigint -- functions/tallies.sql
function advance_rollout(r runner_rollouts, t timestamp with time zone) returns text[] -- functions/rollouts.sql
function announce_artifact_deletion(org text, build text, until timestamp with time zone, known text) returns boolean -- functions/artifact-deletions.sql
function announce_groups(process text, slots jsonb) returns queue_key[] -- functions/claim.sql
function append_logs(write_id text, appends log_append[], chunks log_chunk[], bodies bytea) returns TABLE(n integer, outcome text, stream json, bytes bigint, loose_chunks integer) -- functions/log-streams.sql
function append_logs_and_sequences(write_id text, appends log_append[], chunks log_chunk[], bodies bytea, parts log_sequence_part[]) returns TABLE(n integer, outcome text, stream json, bytes bigint, loose_chunks integer) -- functions/log-streams.sql
function approval_row(a workflow_approvals) returns jsonb -- functions/workflows.sql
function apps_with_builds(after text, most integer) returns TABLE(org_id text, app_id text) -- functions/build-retention.sql
function artifact_deletions_since(org text, app text, components text[], since timestamp with time zone) returns jsonb -- functions/artifact-deletions.sql
function ask_policies(org text, workflow text, evaluations jsonb) returns void -- functions/policies.sql
function attempt_partition_name(day date) returns text -- functions/deliveries.sql
function audit_partition_name(month timestamp with time zone) returns text -- functions/audit.sql
function audit_webhook(org text, webhook text, action text, code text, reason text) returns void -- functions/deliveries.sql
function await_job(org text, signal text, held_lease text, job text) returns TABLE(outcome text, wake text) -- functions/turns.sql
function awaits_log_until(e runner_job_executions) returns timestamp with time zone -- functions/log-streams.sql
function backlog_lines(after_org text, after_type text, most integer) returns TABLE(org_id text, type text) -- functions/turns.sql
function beat_processes(ids text[], org_ids text[], runner_ids text[], are_beats boolean[], alive bigint[], versions text[], tells boolean[], held_by text[], held text[]) returns SETOF beaten_process -- functions/beats.sql
function begin_app_config(org text, app text, config json) returns text -- functions/app-config-parts.sql
function begin_builds(org text, app text, draft jsonb, builds jsonb) returns text -- functions/builds.sql
function begin_callback(org text, signal text, nth integer, begun integer) returns SETOF begun_callback -- functions/turns.sql
function begin_children(parent workflows, children jsonb, t timestamp with time zone) returns jsonb -- functions/workflow-places.sql
function begin_component_toggle(org text, install text, draft jsonb, component text, is_on boolean) returns text -- functions/deploys.sql
function begin_image_looks(org text, app text, signal text, looks jsonb) returns TABLE(outcome text, is_on_offer boolean) -- functions/image-updates.sql
function begin_ticked_workflow(org text, install text, draft jsonb) returns text -- functions/workflows.sql
function begin_turn(org text, signal text, held_lease text, own_lease text, beginner text) returns SETOF begun_turn -- functions/turns.sql
function begin_workflow(org text, install text, draft jsonb, inputs jsonb DEFAULT NULL::jsonb, only_one boolean DEFAULT false) returns text -- functions/installs.sql
function block_abandoned(execution_ids text[], t timestamp with time zone) returns void -- functions/workspace-blocks.sql
function block_half_done(moves job_move[], t timestamp with time zone) returns void -- functions/workspace-blocks.sql
function block_holder(w terraform_workspaces) returns jsonb -- functions/workspaces.sql
function block_workspace(org text, workspace text, actor text, why text) returns workspace_outcome -- functions/for-older-brokers.sql
function block_workspaces(blocks workspace_block[], t timestamp with time zone) returns void -- functions/workspace-blocks.sql
function bound_evidence() returns trigger -- functions/before-tables.sql
function break_workspace_lock(org text, workspace text, actor text, why text, forced boolean) returns workspace_outcome -- functions/workspaces.sql
function builds_lane(org text, app text, t timestamp with time zone) returns text -- functions/builds.sql
function call_back(signal_ids text[], t timestamp with time zone) returns text[] -- functions/signals.sql
function callback_lease_ns() returns bigint -- functions/turns.sql
function callbacks_size(callbacks new_callback[]) returns bigint -- functions/signals.sql
function cancel_children(org text, ids text[]) returns void -- functions/workflow-places.sql
function cancel_matching_jobs(org text, job_ids text[], only_statuses text[], why text) returns TABLE(job_id text, outcome text, runner_id text, execution_id text) -- functions/end.sql
function cancel_rollout(org text, rollout text, actor text) returns text -- functions/rollouts.sql
function cancel_signals(org text, signal_ids text[], why text) returns TABLE(signal_id text, outcome text, status text, wake text) -- functions/signals.sql
function chain_of(ids text[]) returns text[] -- functions/chains.sql
function chain_of_config(org text, config text) returns text[] -- functions/chains.sql
function chain_of_tick(org text, install text, config text, signal text) returns text[] -- functions/chains.sql
function chain_of_workflow(w workflows) returns text[] -- functions/chains.sql
function change_action(org text, app text, action text, change jsonb) returns TABLE(outcome text, told text[]) -- functions/for-older-brokers.sql
function change_app(org text, app text, expected bigint, changes json) returns text -- functions/apps.sql
function change_emitter(expected bigint, emitter json, template bytea, is_rescheduled boolean) returns text -- functions/emitters.sql
function change_install(org text, install text, expected bigint, changes jsonb) returns text -- functions/install-changes.sql
function change_install_config(org text, install text, config text, expected bigint, given jsonb) returns text -- functions/install-configs.sql
function change_install_labels(org text, install text, given jsonb, removed text[]) returns TABLE(outcome text, keys text[]) -- functions/install-changes.sql
function change_named_part(org text, app text, kind text, part text, change jsonb) returns TABLE(outcome text, told text[]) -- functions/named-parts.sql
function change_queue(org text, queue text, expected bigint, queue_name text, depth integer, in_flight integer, idle bigint, queue_metadata jsonb) returns TABLE(outcome text, wake text) -- functions/queues.sql
function change_role(org text, role text, changes jsonb) returns boolean -- functions/roles.sql
function change_webhook(org text, webhook text, changes json, sealed_secret bytea, overlap interval) returns text -- functions/webhooks.sql
function changers_of(install text) returns text[] -- functions/chains.sql
function check_enqueue(jobs new_job[], INOUT outcomes text[]) returns text[] -- functions/enqueue.sql
function claim_enqueue_keys(jobs new_job[], INOUT outcomes text[]) returns text[] -- functions/enqueue.sql
function claim_job(org text, runner text, job text, execution text, live_processes text[]) returns TABLE(job_id text, execution_id text) -- functions/claim.sql
function claim_jobs(waiters integer[], runner_ids text[], process_ids text[], job_groups text[], wants integer[], poll_ids text[], execution_ids text[], digests bytea[]) returns SETOF claimed_job -- functions/claim.sql
function claim_max_bytes() returns bigint -- functions/signals.sql
function claim_signal_keys(signals new_signal[], INOUT outcomes text[]) returns text[] -- functions/signals.sql
function claim_signals(waiters integer[], org_ids text[], queue_ids text[], wants integer[], claim_ids text[], workers text[], leases bigint[]) returns SETOF claimed_signal -- functions/signals.sql
function claims_max_bytes() returns bigint -- functions/signals.sql
function complete_shutdown(process text, shutdown text) returns queue_key[] -- functions/shutdowns.sql
function configs_with_builds(org text, app text) returns TABLE(id text) -- functions/build-retention.sql
function confirm_by_poll(runner text, only_group text) returns queue_key[] -- functions/for-older-brokers.sql
function confirm_by_polls(runner text, groups text[], since timestamp with time zone[]) returns queue_key[] -- functions/beats.sql
function confirm_stopped(execution_ids text[], t timestamp with time zone) returns SETOF queue_key -- functions/end.sql
function count_emitters() returns trigger -- functions/before-tables.sql
function create_app(org text, app json, most integer) returns TABLE(outcome text, id text) -- functions/apps.sql
function create_emitter(emitter json, template bytea, most integer) returns text -- functions/emitters.sql
function create_install(org text, draft jsonb, most integer) returns TABLE(outcome text, id text) -- functions/installs.sql
function create_queue(org text, queue text, queue_name text, owner text, owner_kind text, depth integer, in_flight integer, idle bigint, queue_metadata jsonb, most integer, actor text) returns text -- functions/queues.sql
function create_rollout(r runner_rollouts, runner_ids text[], process_ids text[], shutdown_ids text[]) returns text -- functions/rollouts.sql
function create_runner(org text, runner text, runner_group text, runner_name text, display text, operation_id text, actor text) returns text -- functions/runner-control.sql
function create_webhook(org text, webhook json, sealed_secret bytea, most integer) returns text -- functions/webhooks.sql
function create_workflow(draft jsonb, t timestamp with time zone) returns text -- functions/workflows.sql
function delete_action(org text, app text, action text) returns TABLE(outcome text, told text[]) -- functions/for-older-brokers.sql
function delete_audit_of_org(org text, after text, most integer, OUT deleted integer, OUT next text) returns record -- functions/org-retention.sql
function delete_beat_minutes_of_org(org text, after text, most integer, OUT deleted integer, OUT next text) returns record -- functions/org-retention.sql
function delete_builds(org text, builds text[]) returns integer -- functions/build-retention.sql
function delete_emitter(org text, emitter text) returns boolean -- functions/emitters.sql
function delete_health_checks_of_org(org text, after text, most integer, OUT deleted integer, OUT next text) returns record -- functions/org-retention.sql
function delete_idle_app(org text, app text) returns TABLE(outcome text, ids text[]) -- functions/apps.sql
function delete_jobs_of_org(org text, after text, most integer, OUT deleted integer, OUT next text) returns record -- functions/org-retention.sql
function delete_logs_of_org(org text, after text, most integer, OUT deleted integer, OUT next text) returns record -- functions/org-retention.sql
function delete_named_part(org text, app text, kind text, part text) returns TABLE(outcome text, told text[]) -- functions/named-parts.sql
function delete_processes_of_org(org text, after text, most integer, OUT deleted integer, OUT next text) returns record -- functions/org-retention.sql
function delete_queue(org text, queue text) returns text -- functions/queues.sql
function delete_runner_group(org text, runner_group text) returns text -- functions/runner-control.sql
function delete_unused_sources(most integer) returns integer -- functions/config-sources.sql
function delete_webhook(org text, webhook text) returns boolean -- functions/webhooks.sql
function delete_workflows(old text[]) returns integer -- functions/workflow-retention.sql
function delete_workflows_of_org(org text, after text, most integer, OUT deleted integer, OUT next text) returns record -- functions/org-retention.sql
function deploy_parts_of(org text, install text, config text) returns TABLE(app_id text, toggles jsonb, reads_plans integer, is_whole boolean, parts jsonb) -- functions/deploy-moves.sql
function deploys_of_workflow(org text, workflow text) returns jsonb -- functions/deploy-moves.sql
function digests_of_builds(org text, build text, digests text[]) returns text[] -- functions/artifact-deletions.sql
function disable_webhook(org text, webhook text, why text, t timestamp with time zone) returns void -- functions/deliveries.sql
function discard_rescued_state(org text, workspace text, rescued text, actor text, why text) returns workspace_outcome -- functions/rescued-states.sql
function drop_terraform_state(org text, workspace text, lock text, needs_lock boolean, actor text, why text) returns workspace_outcome -- functions/workspaces.sql
function duration_bucket(seconds double precision) returns integer -- functions/rollups.sql
function emit_ticks(ticks json, signals json) returns TABLE(settled settled_emitter, wake text) -- functions/emitters.sql
function emitter_status_after(status text, event text) returns text -- functions/before-tables.sql
function end_artifact_deletion(org text, build text, until timestamp with time zone, came text, why text) returns void -- functions/artifact-deletions.sql
function end_error(execution text, event text, ended_by text, clock text, stop_reason text, why text) returns jsonb -- functions/moves.sql
function end_executions(process_ids text[], reason text, why text, confirmed boolean) returns SETOF queue_key -- functions/end.sql
function end_jobs(org text, job_ids text[], event text, why text) returns TABLE(job_id text, outcome text, status text, runner_id text, job_group text, execution_id text) -- functions/end.sql
function end_locked_jobs(job_ids text[], event text, why text, t timestamp with time zone) returns SETOF moved_job -- functions/end.sql
function end_lost_acts(after interval, most integer) returns integer -- functions/audit.sql
function end_place(signal text, ended_as text, t timestamp with time zone) returns void -- functions/workflow-places.sql
function end_policy_evaluation(org text, owner text, job text, report jsonb) returns boolean -- functions/policies.sql
function end_reported_jobs(moves job_move[], records bigint[], t timestamp with time zone) returns void -- functions/for-older-brokers.sql
function end_shutdowns(process_ids text[], new_status text, description text, t timestamp with time zone) returns void -- functions/for-older-brokers.sql
function end_signals_of_jobs(job_ids text[]) returns SETOF text -- functions/turns.sql
function enqueue_and_claim_jobs(batch json, waiters integer[], runner_ids text[], process_ids text[], job_groups text[], wants integer[], poll_ids text[], execution_ids text[], digests bytea[]) returns TABLE(enqueued enqueued_job, claimed claimed_job) -- functions/hand-off.sql
function enqueue_jobs(batch json) returns SETOF enqueued_job -- functions/enqueue.sql
function enqueue_signals(batch json) returns SETOF enqueued_signal -- functions/signals.sql
function execution_event(status text) returns text -- functions/before-tables.sql
function execution_rank(status text) returns integer -- functions/for-older-brokers.sql
function execution_status_after(status text, event text) returns text -- functions/before-tables.sql
function executions_of(process_ids text[]) returns SETOF runner_job_live -- functions/end.sql
function expire_late(late text[], t timestamp with time zone) returns void -- functions/signals.sql
function expired_in_front() returns integer -- functions/signals.sql
function fail_app_config(org text, app text, config text, told json, revision integer) returns text -- functions/app-config-parts.sql
function fan_out_events(org text, items jsonb) returns SETOF text -- functions/events.sql
function fan_out_soon(orgs text[]) returns void -- functions/for-older-brokers.sql
function file_signals(signals new_signal[], t timestamp with time zone) returns SETOF enqueued_signal -- functions/signals.sql
function file_workflow(org text, lane text, workflow text, signal text, actor text, t timestamp with time zone) returns text -- functions/workflow-places.sql
function find_log_streams(orgs text[], streams text[]) returns SETOF log_stream -- functions/log-streams.sql
function find_named_part(app text, kind text, named text) returns text -- functions/named-parts.sql
function fire_emitter(org text, emitter text, expected bigint, signal json, actor text) returns TABLE(outcome text, id text, wake text) -- functions/emitters.sql
function first_wake_ns() returns bigint -- functions/signals.sql
function flush_queues(org text, runner text, only_group text, with_running boolean, why text) returns TABLE(job_id text, from_status text) -- functions/end.sql
function forget_builds_lane(org text, app text, t timestamp with time zone) returns void -- functions/builds.sql
function forget_executions(org text, stream text, most integer) returns void -- functions/log-retention.sql
function forget_install(org text, install text) returns text -- functions/install-changes.sql
function forget_install_component(org text, install text, component text) returns text -- functions/deploys.sql
function forget_lanes(org text, install text, t timestamp with time zone) returns void -- functions/installs.sql
function forget_old_sources(most integer) returns integer -- functions/config-sources.sql
function forget_what_was_said(app text, kind text, named json) returns void -- functions/named-parts.sql
function free_plan_locks(execution_ids text[], t timestamp with time zone) returns void -- functions/workspaces.sql
function give_up_deliveries(webhook text, t timestamp with time zone) returns void -- functions/deliveries.sql
function groups_served(serves jsonb, runner text) returns TABLE(job_group text, slots integer) -- functions/runners.sql
function has_backlog(org text, kind text) returns boolean -- functions/turns.sql
function has_log_record(org text, stream text, execution text, seq bigint) returns boolean -- functions/log-streams.sql
function has_room_for_role(org text, most integer) returns boolean -- functions/roles.sql
function held_builds(org text, app text) returns TABLE(id text) -- functions/build-retention.sql
function held_though_over(held_by text[], held text[]) returns TABLE(process_id text, told json, is_ordered boolean) -- functions/beats.sql
function held_workspace(w terraform_workspaces) returns jsonb -- functions/deploy-moves.sql
function hold_back_workspace(org text, workspace text, actor text, why text, of_kind text, job text) returns workspace_outcome -- functions/rescued-states.sql
function holders_of_action(org text, action text) returns text[] -- functions/for-older-brokers.sql
function holders_of_part(org text, kind text, part text) returns text[] -- functions/named-parts.sql
function indexes_of_builds(org text, build text, most integer) returns text[] -- functions/artifact-deletions.sql
function insert_asked_deploy(w workflows, asked jsonb, t timestamp with time zone) returns void -- functions/deploy-moves.sql
function insert_workflow(draft jsonb, t timestamp with time zone) returns void -- functions/workflows.sql
function instant_of_us(p_us bigint) returns timestamp with time zone -- functions/telemetry.sql
function is_backlogged(b turn_backlog) returns boolean -- functions/turns.sql
function is_bound(runner text) returns boolean -- functions/runners.sql
function is_by_hand(job new_job) returns boolean -- functions/enqueue.sql
function is_execution_end(status text) returns boolean -- functions/before-tables.sql
function is_job_move(event text, from_status text, to_status text) returns boolean -- functions/before-tables.sql
function is_kept_deploy(org text, target text, deploy text) returns boolean -- functions/workflow-retention.sql
function is_kept_job(org text, job text) returns boolean -- functions/workflow-retention.sql
function is_kept_run(r install_action_runs) returns boolean -- functions/workflow-retention.sql
function is_lease(l queue_signal_live, lease_id text) returns boolean -- functions/signals.sql
function is_open_to_runner(ours boolean, process text, given_secret bytea) returns boolean -- functions/runners.sql
function is_plan_lock(type text, operation text, info jsonb) returns boolean -- functions/workspaces.sql
function is_signal_live(status text) returns boolean -- functions/signals.sql
function is_unbegun(l queue_signal_live) returns boolean -- functions/signals.sql
function job_status_after(status text, event text) returns text -- functions/before-tables.sql
function join_parents(w workflows, others text[]) returns void -- functions/chains.sql
function joined_chain(one text[], other text[]) returns text[] -- functions/chains.sql
function judge_artifact_deletion(org text, build text, until timestamp with time zone) returns text -- functions/artifact-deletions.sql
function judge_due_jobs(job_ids text[], b broker_listening, t timestamp with time zone) returns TABLE(job_id text, event text, execution_status text, description text, clock text, stop_reason text, rearm_at timestamp with time zone) -- functions/clocks.sql
function judge_taken(reports execution_report[]) returns TABLE(place integer, outcome text, job_id text, job_status text, event text, to_status text, end_status text, description text) -- functions/report.sql
function keep_actions(org text, app text, app_config text, named json, t timestamp with time zone) returns void -- functions/apps.sql
function keep_audit_event() returns trigger -- functions/before-tables.sql
function keep_config_sources(org text, config text, sources json) returns void -- functions/config-sources.sql
function keep_image_emitter(org text, app text, config text) returns void -- functions/image-updates.sql
function keep_image_updates(org text, app text, config text, followed jsonb) returns TABLE(outcome text, lane text, emitter text) -- functions/image-updates.sql
function keep_install_components(org text, install text, config text) returns void -- functions/deploys.sql
function keep_named_parts(org text, app text, kind text, named json) returns void -- functions/named-parts.sql
function keep_other_results(reports execution_report[], t timestamp with time zone) returns void -- functions/report.sql
function keep_progress(org text, runner text, job text, execution text, given json, most integer) returns TABLE(outcome text, steps integer, is_full boolean) -- functions/progress.sql
function keep_pulumi_state(s terraform_workspace_states, only_part bytea, prints jsonb, expected integer) returns workspace_outcome -- functions/pulumi-states.sql
function keep_reports(reports execution_report[], results bigint, outputs bigint, t timestamp with time zone) returns void -- functions/report.sql
function keep_rescued_within(s terraform_rescued_states, only_part bytea, prints jsonb, most jsonb) returns workspace_outcome -- functions/rescued-states.sql
function keep_signal_keys(signals new_signal[]) returns void -- functions/signals.sql
function keep_slots(moves job_move[], t timestamp with time zone) returns void -- functions/moves.sql
function keep_source_blob(org text, blob json, only_part bytea) returns text -- functions/config-sources.sql
function keep_terraform_state(s terraform_workspace_states, only_part bytea, prints jsonb, lock text, needs_lock boolean, reason text, is_terraform boolean) returns workspace_outcome -- functions/workspaces.sql
function kept_builds(org text, app text, keep integer) returns TABLE(id text) -- functions/build-retention.sql
function label_rollups(labels rollup_labels[]) returns TABLE(org_id text, day timestamp with time zone, runner_group_of text, job_group_of text, type_of text, runner_group_id text, job_group text, type text) -- functions/tallies.sql
function lane_of_install(org text, install text, lane text) returns text -- functions/workflow-places.sql
function late_signals(asking new_signal[]) returns text[] -- functions/signals.sql
function late_ticks(ids text[]) returns text[] -- functions/emitters.sql
function leave_fan_out(org text, lease text) returns boolean -- functions/events.sql
function leave_place(w workflows, t timestamp with time zone) returns void -- functions/workflow-places.sql
function leave_policy_evaluation(org text, owner text, job text, until timestamp with time zone) returns void -- functions/policies.sql
function list_due_emitters(most integer) returns TABLE(id text, queue_id text) -- functions/emitters.sql
function list_problems(t timestamp with time zone) returns TABLE(org_id text, problems jsonb) -- functions/rollups.sql
function listening() returns broker_listening -- functions/clocks.sql
function live_processes(runner_ids text[]) returns text[] -- functions/runner-control.sql
function lock_executions(job_ids text[]) returns void -- functions/moves.sql
function lock_holder(l terraform_workspace_locks) returns jsonb -- functions/workspaces.sql
function lock_installs_of_children(parent workflows, children jsonb) returns void -- functions/workflow-places.sql
function lock_named_part(org text, app text, kind text, part text) returns TABLE(name text, labels jsonb, config_labels jsonb) -- functions/named-parts.sql
function lock_open_config(org text, app text, config text) returns text -- functions/app-config-parts.sql
function lock_queues(keys queue_key[]) returns void -- functions/moves.sql
function lock_queues_of_signals(signal_ids text[]) returns text[] -- functions/signals.sql
function lock_runners(runner_ids text[]) returns void -- functions/runner-control.sql
function lock_signal_queues(ids text[]) returns void -- functions/signals.sql
function lock_with_late(queue_ids text[], late text[]) returns void -- functions/signals.sql
function lock_workspace(l terraform_workspace_locks, by_hand boolean) returns workspace_outcome -- functions/workspaces.sql
function log_partition_name(day date) returns text -- functions/log-retention.sql
function log_sequence_of(org text, stream text, sequences jsonb, execution text) returns jsonb -- functions/log-streams.sql
function log_stream_of(owner_id text) returns text -- functions/log-streams.sql
function longest_wake_ns() returns bigint -- functions/signals.sql
function made_id(prefix text) returns text -- functions/events.sql
function made_id_at(prefix text, t timestamp with time zone) returns text -- functions/before-tables.sql
function make_attempt_partition(day date) returns void -- functions/deliveries.sql
function make_audit_partition(at timestamp with time zone) returns void -- functions/audit.sql
function make_log_partition(day date) returns void -- functions/log-retention.sql
function make_queues(keys queue_key[]) returns void -- functions/enqueue.sql
function mark_full_orgs(most bigint) returns void -- functions/signals.sql
function mark_listening() returns broker_listening -- functions/clocks.sql
function may_register(runner text, takes_over text, most integer) returns boolean -- functions/registrations.sql
function may_retry(l runner_job_live, t timestamp with time zone) returns boolean -- functions/report.sql
function merge_config_parts(former text, given text) returns text -- functions/named-parts.sql
function merge_log_chunks(org text, stream text, of_day date, positions bigint[], merged log_chunk, body bytea) returns boolean -- functions/log-retention.sql
function most_forgotten() returns integer -- functions/turns.sql
function most_handed() returns integer -- functions/turns.sql
function most_install_configs() returns integer -- functions/install-configs.sql
function most_states() returns integer -- functions/installs.sql
function move_emitters(ids text[], event text, why text, t timestamp with time zone) returns SETOF text -- functions/emitters.sql
function move_jobs(moves job_move[], t timestamp with time zone) returns SETOF moved_job -- functions/moves.sql
function move_place(signal text, event text, t timestamp with time zone) returns void -- functions/workflow-places.sql
function move_processes(process_ids text[], event text, description text, t timestamp with time zone) returns void -- functions/registrations.sql
function move_queues(ids text[], event text, description text, t timestamp with time zone) returns SETOF text -- functions/queues.sql
function move_rollout(rollout text, event text, description text, t timestamp with time zone) returns void -- functions/rollouts.sql
function move_shutdowns(process_ids text[], shutdown text, event text, description text, t timestamp with time zone) returns void -- functions/shutdowns.sql
function move_signals(moves signal_move[], t timestamp with time zone) returns void -- functions/signals.sql
function name_app_part(org text, app text, kind text, draft json, most integer) returns TABLE(outcome text, id text) -- functions/named-parts.sql
function named_runner_groups(org text) returns text[] -- functions/rollups.sql
function newer_build(org text, build text) returns text -- functions/builds.sql
function note_active_config() returns trigger -- functions/before-tables.sql
function note_config_parts(org text, app text, config text) returns void -- functions/before-tables.sql
function note_delivered(org text, webhook text, t timestamp with time zone, enables boolean) returns boolean -- functions/deliveries.sql
function note_failed(org text, webhook text, is_first boolean, t timestamp with time zone) returns void -- functions/deliveries.sql
function ns(nanoseconds bigint) returns interval -- functions/before-tables.sql
function offer_jobs(waiters integer[], runner_ids text[], job_groups text[]) returns TABLE(waiter integer, job_id text) -- functions/claim.sql
function old_before(days integer) returns timestamp with time zone -- functions/org-retention.sql
function order_rollout_targets(r runner_rollouts, t timestamp with time zone) returns text[] -- functions/rollouts.sql
function order_shutdowns(process_ids text[], shutdown_ids text[], kind text, cut_after interval, actor text, why text) returns TABLE(shutdown_id text, runner_id text, process_id text) -- functions/shutdowns.sql
function orders_for(process_ids text[]) returns TABLE(process_id text, orders json, settings_version bigint) -- functions/beats.sql
function orgs_not_fanned_out(after interval) returns SETOF text -- functions/events.sql
function pass_on_fan_outs(lease text) returns void -- functions/events.sql
function patch_install_config(org text, install text, given jsonb, t timestamp with time zone) returns void -- functions/install-configs.sql
function place_in_lane(w workflows, lane text) returns text -- functions/workflow-places.sql
function policy_checks(org text, workflow text) returns jsonb -- functions/policies.sql
function poll_speaks_for(poller text, s stopping_executions) returns boolean -- functions/beats.sql
function present_task(task text) returns text -- functions/signals.sql
function process_goes_down(process text, new_status text, description text) returns queue_key[] -- functions/shutdowns.sql
function process_status_after(status text, event text) returns text -- functions/before-tables.sql
function process_terminating(process text) returns queue_key[] -- functions/shutdowns.sql
function pulls_of_install(org text, install text, server text, image_types text[]) returns jsonb -- functions/registry.sql
function pulumi_holder(org text, workspace text) returns jsonb -- functions/pulumi-states.sql
function pulumi_lock_holder(holder jsonb) returns jsonb -- functions/pulumi-states.sql
function purge_queue(org text, queue text, with_in_flight boolean, why text, batch integer) returns TABLE(purged integer, wake text) -- functions/signals.sql
function push_rescued_state(org text, workspace text, rescued text, actor text, why text) returns workspace_outcome -- functions/rescued-states.sql
function put_install_config(org text, install text, draft jsonb, t timestamp with time zone) returns void -- functions/install-configs.sql
function put_off_artifact_deletion(org text, build text, until timestamp with time zone, why text, delay interval) returns void -- functions/artifact-deletions.sql
function put_off_callbacks(signal_ids text[], ns integer[], all_begins integer[], are_begun boolean[]) returns void -- functions/turns.sql
function put_off_turns(signal_ids text[], lease_ids text[]) returns void -- functions/turns.sql
function queue_max_bytes() returns bigint -- functions/signals.sql
function queue_status_after(status text, event text) returns text -- functions/before-tables.sql
function queues_of_jobs(job_ids text[]) returns queue_key[] -- functions/end.sql
function queues_of_runners(runner_ids text[]) returns queue_key[] -- functions/runners.sql
function queues_to_look_at(queue_ids text[]) returns SETOF text -- functions/signal-claims.sql
function queues_with_work(queue_ids text[]) returns SETOF text -- functions/signals.sql
function reachable_webhooks(org text, ids text[]) returns text[] -- functions/events.sql
function read_due_emitters(ids text[], most_bytes bigint) returns SETOF due_emitter -- functions/emitters.sql
function read_workflow(org text, workflow text) returns jsonb -- functions/workflows.sql
function reclaim_jobs(waiters integer[], runner_ids text[], process_ids text[], poll_ids text[], repeated integer[], digests bytea[]) returns SETOF claimed_job -- functions/claim.sql
function record_attempt(i record, t timestamp with time zone) returns boolean -- functions/deliveries.sql
function record_attempts(items jsonb) returns TABLE(delivery_id text, is_written boolean) -- functions/deliveries.sql
function redrive_signals(org text, queue text, signal_ids text[], batch integer) returns TABLE(signal_id text, outcome text, wake text) -- functions/signals.sql
function refresh_runners(runner_ids text[]) returns SETOF queue_key -- functions/runners.sql
function refuse_change(org text, workspace text, lock text, needs_lock boolean, heeds_block text) returns workspace_outcome -- functions/workspaces.sql
function refuse_repetitions(jobs new_job[], INOUT outcomes text[]) returns text[] -- functions/enqueue.sql
function refuse_signals(signals new_signal[], INOUT outcomes text[], t timestamp with time zone) returns text[] -- functions/signals.sql
function register_agent(is_allowed boolean, org text, runner text, process text, process_type text, process_version text, process_serves jsonb, secret bytea, old_process text, old_secret bytea, held text[], binds boolean, newest_plans integer) returns TABLE(woken queue_key[], orders json) -- functions/registrations.sql
function register_bound_holder(is_allowed boolean, org text, runner text, process text, process_type text, process_version text, process_serves jsonb, secret bytea, old_process text, old_secret bytea, held text[]) returns TABLE(woken queue_key[], orders json) -- functions/for-older-brokers.sql
function register_by_beat(org text, runner text, process text, process_type text, process_version text, process_serves jsonb, most integer, OUT is_allowed boolean, OUT process_id text, OUT woken queue_key[]) returns record -- functions/registrations.sql
function register_holder(is_allowed boolean, org text, runner text, process text, process_type text, process_version text, ours boolean, process_serves jsonb, secret bytea, old_process text, old_secret bytea, held text[]) returns TABLE(woken queue_key[], orders json) -- functions/registrations.sql
function register_process(org text, runner text, process text, process_type text, process_version text, ours boolean, process_serves jsonb, secret bytea, old_process text, old_secret bytea) returns queue_key[] -- functions/registrations.sql
function registry_key_period(at timestamp with time zone) returns integer -- functions/registry.sql
function release_jobs(keys queue_key[], with_withdrawn boolean, t timestamp with time zone) returns SETOF queue_key -- functions/moves.sql
function release_overdue(job_ids text[], t timestamp with time zone) returns void -- functions/clocks.sql
function release_webhook_line(webhook text, lease text) returns boolean -- functions/deliveries.sql
function release_workspace(org text, workspace text, lock text, actor text, why text, by_hand boolean) returns workspace_outcome -- functions/workspaces.sql
function report_claimed_signals(batch json) returns TABLE(n integer, outcome text, status text, lease_until timestamp with time zone, wake text) -- functions/signal-claims.sql
function report_event(event text, l queue_signal_live) returns text -- functions/signals.sql
function report_signals(reports signal_report[]) returns TABLE(reported reported_signal, wake text) -- functions/signals.sql
function request_shutdowns(process_ids text[], shutdown_ids text[], kind text, cut_after interval, actor text) returns TABLE(shutdown_id text, runner_id text, process_id text) -- functions/for-older-brokers.sql
function resend_deliveries(org text, webhook text, delivery text, chosen json, most integer) returns integer -- functions/deliveries.sql
function restore_workspace(org text, workspace text, kept_days integer, actor text, why text) returns workspace_outcome -- functions/workspaces.sql
function retire_app_config(org text, former text) returns void -- functions/apps.sql
function retire_pull_logins(org text, deploys jsonb, t timestamp with time zone) returns void -- functions/registry.sql
function retire_workspace(org text, workspace text, actor text, why text) returns workspace_outcome -- functions/workspaces.sql
function retry_delay_ns(first bigint, executions integer) returns bigint -- functions/signals.sql
function return_policy_evaluation(org text, owner text, job text, until timestamp with time zone) returns void -- functions/policies.sql
function return_signals(org_ids text[], signal_ids text[], lease_ids text[], untils timestamp with time zone[]) returns SETOF text -- functions/signal-claims.sql
function roll_up_activity(t timestamp with time zone) returns void -- functions/activity-rollups.sql
function rollout_status_after(status text, event text) returns text -- functions/before-tables.sql
function rollup_start(width_s integer, at timestamp with time zone) returns timestamp with time zone -- functions/rollups.sql
function rollup_widths() returns integer[] -- functions/rollups.sql
function runners_of_group(runner_group text) returns text[] -- functions/runner-control.sql
function sample_stats(every interval) returns boolean -- functions/rollups.sql
function seal_app_config(org text, app text, config json, revision integer) returns text -- functions/app-config-parts.sql
function send_back(moves job_move[], t timestamp with time zone) returns void -- functions/moves.sql
function send_signals_back(moves signal_move[], t timestamp with time zone) returns void -- functions/signals.sql
function sent_bytes(org text, upload sent_upload) returns bytea -- functions/sent-pieces.sql
function serve_signal_claims(waiters integer[], org_ids text[], queue_ids text[], wants integer[], claim_ids text[], workers text[], leases bigint[]) returns TABLE(waiter integer, repeated boolean, id text, org_id text, queue_id text, type text, owner_id text, owner_type text, context jsonb, dedupe_key text, emitter_id text, scheduled_for timestamp with time zone, caused_by text, expires_at timestamp with time zone, execution_count integer, max_executions integer, created_at timestamp with time zone, lease_id text, lease_until timestamp with time zone, key_id text, contents bytea, awaited_by text, created_by_id text, cause_type text, cause_status text, cause_description text, cause_finished_at timestamp with time zone, cause_key_id text, cause_result bytea, notice text, paused_note text, paused_until timestamp with time zone) -- functions/signal-claims.sql
function served_slots(runner text) returns TABLE(job_group text, slots integer) -- functions/runners.sql
function serves_group(serves jsonb, runner text, wanted text) returns boolean -- functions/runners.sql
function set_app_secret(org text, app text, secret json, sealed_value bytea, most integer) returns TABLE(outcome text, id text) -- functions/apps.sql
function set_emitter_pause(org text, emitter text, event text, note text, until timestamp with time zone, actor text) returns text -- functions/emitters.sql
function set_install_secret(org text, install text, secret json, most integer) returns TABLE(outcome text, id text) -- functions/install-secrets.sql
function set_pause(org text, target text, pause jsonb, reason text, actor text) returns runner_change -- functions/runner-control.sql
function set_process_status(process_ids text[], new_status text, description text, t timestamp with time zone) returns void -- functions/for-older-brokers.sql
function set_queue_pause(org text, queue text, event text, note text, until timestamp with time zone, actor text) returns TABLE(outcome text, wake text) -- functions/queues.sql
function set_runner_lifecycle(org text, runner text, wanted text, operation_id text, actor text) returns runner_change -- functions/runner-control.sql
function set_shutdown_status(process text, shutdown text, new_status text, description text, t timestamp with time zone) returns void -- functions/for-older-brokers.sql
function settle_callback(org text, signal text, nth integer, begun integer, outcome text, description text, again_in double precision) returns boolean -- functions/turns.sql
function settle_image_look(org text, component text, job text, told jsonb, draft jsonb, build jsonb) returns text -- functions/image-updates.sql
function settle_image_looks(job_ids text[]) returns void -- functions/image-updates.sql
function settle_rollout_targets(r runner_rollouts, t timestamp with time zone) returns void -- functions/rollouts.sql
function shutdown_status_after(status text, event text) returns text -- functions/before-tables.sql
function signal_overhead() returns integer -- functions/signals.sql
function signal_size(s new_signal) returns integer -- functions/signals.sql
function signal_status_after(status text, event text) returns text -- functions/before-tables.sql
function speaks_for(process text, s stopping_executions) returns boolean -- functions/shutdowns.sql
function start_turns(queue_ids text[], t timestamp with time zone) returns void -- functions/signals.sql
function status_after_all(machine text, status text, events jsonb) returns text -- functions/before-tables.sql
function step_reported(reports execution_report[], t timestamp with time zone) returns TABLE(n integer, e_id text, e_org_id text, e_runner_job_id text, e_runner_id text, e_process_id text, e_holders text[], e_is_ours boolean, e_status text, e_status_description text, e_ended_by text, e_history jsonb, e_created_at timestamp with time zone, e_deadline_at timestamp with time zone, e_confirmed_at timestamp with time zone, e_finished_at timestamp with time zone, e_last_record bigint) -- functions/for-older-brokers.sql
function store_job_spans(p_org text, p_runner text, p_spans json, p_most integer) returns integer -- functions/telemetry.sql
function store_metric_points(p_org text, p_runner text, p_points json, p_most integer) returns integer -- functions/telemetry.sql
function stored_size(f queue_signals) returns integer -- functions/signals.sql
function svc_now() returns timestamp with time zone -- functions/before-tables.sql
function sweep_awaited_jobs(batch integer) returns swept_signals -- functions/turns.sql
function sweep_callbacks(batch integer) returns swept_signals -- functions/turns.sql
function sweep_jobs(batch integer) returns swept -- functions/clocks.sql
function sweep_pauses(batch integer) returns swept -- functions/clocks.sql
function sweep_processes(batch integer) returns swept -- functions/clocks.sql
function sweep_queues(batch integer) returns swept -- functions/clocks.sql
function sweep_rollouts(batch integer) returns swept -- functions/rollouts.sql
function sweep_shutdowns(batch integer) returns swept -- functions/clocks.sql
function sweep_signal_queues(batch integer) returns swept_signals -- functions/queues.sql
function sweep_signals(batch integer) returns swept_signals -- functions/signals.sql
function sweep_stopping(batch integer) returns swept -- functions/clocks.sql
function sync_app_config(org text, app text, config json, base text) returns TABLE(outcome text, id text) -- functions/apps.sql
function take_artifact_deletion(after text, patience interval) returns TABLE(org_id text, build_id text, repository text, tag text, digest text, tries integer, taken_until timestamp with time zone) -- functions/artifact-deletions.sql
function take_backlog(org text, kind text, most integer) returns TABLE(signal_id text, lease_id text, callback integer, begins integer) -- functions/turns.sql
function take_deliveries(webhook text, lease text, busy text[], most integer) returns TABLE(id text, url text, key_id text, secret bytea, previous_key_id text, previous_secret bytea, previous_until timestamp with time zone, delivery_id text, event_id text, stream text, seq bigint, tries integer, attempts integer, is_resent boolean, body text) -- functions/for-older-brokers.sql
function take_due_lines(most integer, of_org integer, orgs text[], held integer[]) returns TABLE(webhook_id text, org_id text, lease_id text) -- functions/deliveries.sql
function take_evaluation_of(owner_types text[], patience interval) returns TABLE(org_id text, owner_type text, owner_id text, runner_job_id text, tries integer, taken_until timestamp with time zone) -- functions/policies.sql
function take_fan_out(org text, lease text) returns boolean -- functions/events.sql
function take_line_deliveries(webhook text, lease text, busy text[], most integer) returns TABLE(id text, url text, key_id text, secret bytea, previous_key_id text, previous_secret bytea, previous_until timestamp with time zone, is_failing boolean, delivery_id text, event_id text, stream text, seq bigint, tries integer, attempts integer, is_resent boolean, body text) -- functions/deliveries.sql
function take_policy_evaluation(patience interval) returns TABLE(org_id text, owner_type text, owner_id text, runner_job_id text, tries integer, taken_until timestamp with time zone) -- functions/for-older-brokers.sql
function take_reports(batch json) returns TABLE(n integer, outcome text, job_status text, wakes_runner_id text, id text, org_id text, runner_job_id text, runner_id text, process_id text, holders text[], is_ours boolean, status text, status_description text, ended_by text, history jsonb, created_at timestamp with time zone, deadline_at timestamp with time zone, confirmed_at timestamp with time zone, finished_at timestamp with time zone, last_record bigint) -- functions/report.sql
function take_webhook_lines(most integer, full_orgs text[]) returns TABLE(webhook_id text, org_id text, lease_id text) -- functions/for-older-brokers.sql
function tally_job_ends(bounds double precision[], most_transactions bigint, OUT tallied bigint, OUT is_more boolean) returns record -- functions/tallies.sql
function targets_of_install(org text, install text, workflow text) returns jsonb -- functions/deploy-moves.sql
function task_lease_ns() returns bigint -- functions/signals.sql
function tell_app_of_config(org text, app text, config json) returns void -- functions/apps.sql
function tell_inactive_runners(process_ids text[], silent_since timestamp with time zone[], t timestamp with time zone) returns void -- functions/events.sql
function tell_of_events(orgs text[]) returns void -- functions/events.sql
function tell_policy_engine() returns void -- functions/policies.sql
function tidy_builds(org text, app text, keep integer, wait interval, most integer, OUT marked integer, OUT taken_back integer, OUT deleted integer, OUT has_more boolean) returns record -- functions/build-retention.sql
function tokens_changed() returns trigger -- functions/before-tables.sql
function trim_log_stream(org text, stream text, most_bytes bigint) returns boolean -- functions/log-retention.sql
function unblock_workspace(org text, workspace text, actor text, why text) returns workspace_outcome -- functions/workspace-blocks.sql
function wake_deploys_of(org text, builds text[]) returns void -- functions/deploy-moves.sql
function wake_deploys_waiting_for(org text, workspace text) returns void -- functions/deploy-moves.sql
function wake_holders(ids text[], t timestamp with time zone) returns void -- functions/signals.sql
function wake_processes(process_ids text[], t timestamp with time zone) returns SETOF queue_key -- functions/beats.sql
function wake_queues(ids text[], t timestamp with time zone) returns void -- functions/queues.sql
function wake_workflow(org text, workflow text, at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns void -- functions/workflows.sql
function was_cut(e runner_job_executions) returns boolean -- functions/log-streams.sql
function webhooks_too_large(org text, more bigint) returns boolean -- functions/webhooks.sql
function with_chain(w workflows) returns workflows -- functions/chains.sql
function with_entry(history jsonb, status text, description text, at timestamp with time zone) returns jsonb -- functions/signals.sql
function with_what_was_said(app text, part json) returns text -- functions/named-parts.sql
function workflow_status_after(status text, event text) returns text -- functions/before-tables.sql
function workflow_step_status_after(status text, event text) returns text -- functions/before-tables.sql
function workflow_task() returns text -- functions/signals.sql
function write_audit(asked jsonb, ended jsonb) returns void -- functions/audit.sql
function write_builds(org text, builds jsonb) returns void -- functions/builds.sql
function write_deploys(held workflows, deploys jsonb, targets jsonb) returns void -- functions/deploy-moves.sql
function write_ends(moves job_move[], records bigint[], t timestamp with time zone) returns void -- functions/moves.sql
function write_events(drafts jsonb, t timestamp with time zone) returns void -- functions/events.sql
function write_install_change(org text, install text, workflow text, change jsonb, t timestamp with time zone) returns void -- functions/installs.sql
function write_registry_logins(org text, jobs jsonb) returns void -- functions/registry.sql
function write_runner_settings(org text, runner_group text, expected bigint, next jsonb) returns runner_change -- functions/runner-control.sql
function write_runner_status(runner_ids text[], t timestamp with time zone) returns void -- functions/runners.sql
function write_signal_ends(moves signal_move[], t timestamp with time zone) returns text[] -- functions/signals.sql
function write_state_json(s terraform_workspace_state_jsons, only_part bytea) returns workspace_outcome -- functions/workspaces.sql
function write_steps(org text, workflow text, steps jsonb) returns void -- functions/workflows.sql
function write_workflow(org text, workflow text, expected bigint, change jsonb) returns TABLE(outcome text, is_on_offer boolean) -- functions/workflows.sql
function write_workflow_now(org text, workflow text, expected bigint, change jsonb) returns boolean -- functions/workflows.sql
