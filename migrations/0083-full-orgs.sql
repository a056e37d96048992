-- Orgs whose queues hold more than they may: an enqueue looks here, a sampler writes it. It is empty as a rule.
create table full_orgs (
  org_id    svc_id primary key references orgs (id) on delete cascade,
  bytes     bigint not null,
  since     timestamptz not null default svc_now()
);
