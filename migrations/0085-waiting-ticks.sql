-- How many ticks of an emitter waited for room in its queue when brokers last tried: a pause gives up all of them.
alter table queue_emitters add column waiting_ticks integer not null default 0;
