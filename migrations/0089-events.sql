-- Events of workflows and of their steps, and their way to webhooks.

create table events (
  id             svc_id not null,
  org_id         svc_id not null references orgs (id),
  kind           text not null check (kind in ('workflow', 'workflow_step')),
  transition     text not null check (transition in ('started', 'succeeded', 'failed', 'cancelled', 'requested', 'approved',
                                                     'rejected', 'detected')),
  workflow_id    svc_id not null,
  workflow_type  text not null,
  step_id        svc_id check ((step_id is null) = (kind = 'workflow')),
  seq            bigint not null check (seq > 0), -- one more for each event of the workflow
  slugs          text[] not null,
  entities       jsonb not null check (jsonb_typeof(entities) = 'array'), -- what it is about, with the labels of that instant
  data           jsonb not null check (jsonb_typeof(data) = 'object'),
  body           text, -- what receivers get, written once; null: nobody was to get it
  created_at     timestamptz not null,
  fanned_out_at  timestamptz,
  primary key (org_id, id),
  unique (workflow_id, seq),
  check (body is null or fanned_out_at is not null)
);
create index events_not_fanned_out on events (org_id, workflow_id, seq) where fanned_out_at is null;
create index events_age on events (created_at);

-- How far a workflow has counted its events: whoever moves it holds this row until the move is there.
create table event_sequences (
  workflow_id  svc_id primary key,
  last_seq     bigint not null,
  last_at      timestamptz not null
);
create index event_sequences_age on event_sequences (last_at);

alter table webhooks
  add column disabled_at timestamptz,
  add column disabled_reason text check (disabled_reason in ('gone', 'failing')),
  add column failing_since timestamptz, -- no delivery has arrived since
  add column failing_events integer not null default 0, -- deliveries that failed at first since then
  add column notice smallint not null default 0, -- how near to being disabled it was told to be, in percent
  add constraint webhooks_disabled check ((disabled_at is null) = (disabled_reason is null));

-- An event on its way to a webhook. A stream has its deliveries one after the other: that of a workflow, or one delivery's own.
create table webhook_deliveries (
  id               svc_id not null,
  org_id           svc_id not null,
  webhook_id       svc_id not null,
  event_id         svc_id not null,
  workflow_id      svc_id not null,
  seq              bigint not null,
  stream           svc_id not null,
  status           text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  tries            integer not null default 0, -- of this round: a resend begins another
  attempts         integer not null default 0, -- in all
  is_resent        boolean not null default false, -- asked for by somebody: it is tried once
  response_status  integer, -- of the last attempt
  error_code       text,
  next_at          timestamptz check (next_at is null or status = 'pending'),
  last_attempt_at  timestamptz,
  created_at       timestamptz not null,
  finished_at      timestamptz,
  primary key (org_id, id), -- ids begin with their time: this is the order of lists, too
  unique (org_id, event_id, webhook_id),
  foreign key (org_id, webhook_id) references webhooks (org_id, id),
  foreign key (org_id, event_id) references events (org_id, id) on delete cascade,
  check ((status = 'pending') = (finished_at is null))
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_open on webhook_deliveries (webhook_id, stream, seq) where status = 'pending';

-- Streams with a pending delivery: when the first of it is due.
create table webhook_streams (
  webhook_id  svc_id not null,
  stream      svc_id not null,
  next_at     timestamptz not null,
  primary key (webhook_id, stream)
);
create index webhook_streams_due on webhook_streams (webhook_id, next_at);

-- Webhooks with a stream. Whoever has the lease delivers, and nobody else; its row is the lock of all that is above.
create table webhook_lines (
  webhook_id   svc_id primary key,
  org_id       svc_id not null,
  due_at       timestamptz not null,
  rests_until  timestamptz, -- its receiver asked for that
  lease_id     text,
  lease_until  timestamptz,
  foreign key (org_id, webhook_id) references webhooks (org_id, id),
  check ((lease_id is null) = (lease_until is null))
);
create index webhook_lines_due on webhook_lines (due_at);

-- Every attempt with what it was answered; partitions of days are dropped when their time is over (functions/deliveries.sql).
create table webhook_attempts (
  id               svc_id not null,
  org_id           svc_id not null,
  delivery_id      svc_id not null,
  n                integer not null,
  started_at       timestamptz not null,
  duration_ms      integer not null,
  result           text not null check (result in ('delivered', 'failed')),
  response_status  integer,
  response_body    text,
  error_code       text,
  error            text,
  at               timestamptz not null, -- when it was written
  primary key (delivery_id, at, id)
) partition by range (at);
