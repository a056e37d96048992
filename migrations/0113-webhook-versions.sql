-- Webhooks have versions, as apps and installs have: who changes one can say which it has seen.
alter table webhooks add column version bigint not null default 1;
