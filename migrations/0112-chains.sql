-- Who stands behind workflows, what emitters run and who approves all: accounts and tokens, written down when it happens. Null: it happened
-- before this was, and what can still be looked up counts (functions/chains.sql).

alter table workflows
  add column chain text[],
  add column prevents_self_approval boolean not null default false, -- as the org said when it began
  add column approve_all_chain text[]; -- of who set approve-all
alter table installs
  add column applied_chain text[], -- of who applied the config that it has
  add column approve_all_chain text[];
alter table app_configs add column chain text[];
