-- What functions take and answer. A type grows by attributes at its end; what else changes is a type of another name.

create type queue_key as (runner_id text, job_group text);

create type sent_upload as (id text, bytes int);

create type new_job as (
  request int, id text, org_id text, runner_id text, job_group text, type text, operation text,
  owner_id text, owner_type text, metadata jsonb,
  queue_timeout bigint, available_timeout bigint, execution_timeout bigint, overall_timeout bigint,
  max_executions int, stop_grace bigint, changes_things boolean, rerun_of text, log_stream_id text,
  created_by_id text, plan text, sealed_plan text, key_id text, idempotency_key text, fingerprint text,
  plan_names text[], sent_plan sent_upload
);

create type enqueued_job as (request int, outcome text, id text, status text, created_at timestamptz);

create type claimed_job as (
  waiter int, repeated boolean, job_id text, execution_id text, process_id text, holders text[],
  job_group text, claimed_at timestamptz, deadline_at timestamptz, overall_at timestamptz, execution_count int,
  started_at timestamptz,
  org_id text, runner_id text, type text, operation text, owner_id text, owner_type text, metadata jsonb,
  queue_timeout bigint, available_timeout bigint, execution_timeout bigint, overall_timeout bigint, max_executions int,
  stop_grace bigint, changes_things boolean, rerun_of text, log_stream_id text, created_at timestamptz,
  created_by_id text, key_id text, plan text -- base64 where key_id names a key
);

create type execution_report as (
  n int, org_id text, runner_id text, job_id text, execution_id text,
  status text, description text, last_record bigint,
  give_back boolean,
  result json, outputs json, result_id text, outputs_id text,
  -- With a key's id the outputs are the base64 of what it sealed, as a JSON string; an empty one, if they were sent ahead.
  outputs_key_id text, outputs_fingerprint text, -- hexadecimal
  sent_outputs sent_upload
);

create type reported_result as (
  success boolean, error_code int, error_metadata jsonb, composite_error jsonb, contents text, contents_display text,
  contents_gzip text, contents_display_gzip text, -- base64
  sealed_contents text, -- base64
  key_id text, fingerprint text, -- hexadecimal
  sent_contents sent_upload
);

create type job_move as (
  job_id            text,
  event             text,
  execution_status  text, -- what the current execution ends as; null: it has none, or keeps its status
  ended_by          text, -- client | broker
  description       text,
  clock             text, -- which clock ended the job
  stop_reason       text, -- not null: the execution may still run over there and keeps its slot
  n                 int   -- the caller's own number for it
);

create type moved_job as (
  job_id text, event text, from_status text, to_status text,
  org_id text, runner_id text, job_group text, execution_id text,
  execution runner_job_executions, -- as it ended; null where none did
  n int
);

create type beaten_process as (
  process_id text, org_id text, runner_id text, process_type text, status text, is_ours boolean, at timestamptz,
  orders json, settings_version bigint, wakes queue_key[]
);

create type swept as (due int, wakes queue_key[], org_ids text[], process_ids text[]);

-- What became of an order: done · unchanged · not-found · and words of its own; and whom to wake for it.
create type runner_change as (outcome text, wakes queue_key[], process_ids text[], token_ids text[]);

create type log_stream as (
  id text, org_id text, owner_id text, owner_type text, runner_id text, parent_id text, attrs jsonb,
  created_at timestamptz, is_open boolean,
  version bigint, last_write text, next_position bigint, records bigint, bytes bigint, dropped_records bigint, dropped_bytes bigint,
  dropped_from bigint, dropped_before bigint, loose_chunks integer, sequences jsonb, first_day date, last_day date,
  expired_before bigint
);

create type log_append as (
  n int, org_id text, stream_id text,
  version bigint, -- as the writer has read it
  next_position bigint, sequences jsonb, -- as they are to be
  records bigint, bytes bigint, loose_chunks integer, -- what comes on top
  late_execution text -- taken though the stream is closed
);

create type log_chunk as (
  n int, -- of its append
  "position" bigint, records int, bytes int, first_at timestamptz, last_at timestamptz,
  min_severity int, max_severity int, steps text[], body_from int, body_length int
);

create type log_sequence_part as (
  n int, -- of its append
  execution_id text, "first" bigint, part jsonb -- null: it is removed
);

-- What a command came to: a word, and the lock or the block that was in its way.
create type workspace_outcome as (outcome text, holder jsonb, revision int);

create type workspace_block as (org_id text, workspace_id text, job_id text, kind text, why text);
