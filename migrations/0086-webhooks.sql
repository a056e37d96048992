-- Webhooks: where an org has its events delivered.

create table webhooks (
  id               svc_id not null,
  org_id           svc_id not null references orgs (id),
  url              text not null check (length(url) between 1 and 2048), -- as it was given
  url_key          text not null, -- as the URL parser writes it: equal URLs are equal texts
  interests        text not null, -- the JSON of its one form (shared/webhooks/interests.ts)
  match            text, -- likewise; null: everything in the org
  key_id           text, -- the key that sealed the secret; null: plain
  secret           bytea,
  previous_key_id  text,
  previous_secret  bytea, -- sealed as the secret was, so that a rotation only moves it
  previous_until   timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  created_by_id    text not null default '',
  deleted_at       timestamptz,
  primary key (org_id, id),
  check ((previous_secret is null) = (previous_until is null)),
  check (deleted_at is null or (secret is null and previous_secret is null))
);
-- One subscription for each URL and match. The texts can be longer than an index takes.
create unique index webhooks_subscription on webhooks (org_id, md5(url_key), md5(coalesce(match, '')))
 where deleted_at is null;
