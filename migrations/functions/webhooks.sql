-- Webhooks: where an org has its events delivered.

-- Whether the org's webhooks would take more than 4 MiB with so many bytes more: each fan-out reads them all. For who has locked the org.
create or replace function webhooks_too_large(org text, more bigint) returns boolean
  language sql stable as $$
  select coalesce(sum(octet_length(w.interests) + octet_length(coalesce(w.match, ''))), 0) + more > 4 * 1024 * 1024
    from webhooks w where w.org_id = org and w.deleted_at is null
$$;

-- outcome: created · exists (this URL and match) · full (the org has as many as it may) · large (and as many bytes)
create or replace function create_webhook(org text, webhook json, sealed_secret bytea, most int) returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  perform 1 from orgs o where o.id = org for no key update; -- counts one creation after the other
  if (select count(*) from webhooks w where w.org_id = org and w.deleted_at is null) >= most then
    return 'full';
  end if;
  if webhooks_too_large(org, octet_length(webhook ->> 'interests') + octet_length(coalesce(webhook ->> 'match', ''))) then
    return 'large';
  end if;
  insert into webhooks (id, org_id, url, url_key, interests, match, key_id, secret, created_at, updated_at, created_by_id)
  select w.id, org, w.url, w.url_key, w.interests, w.match, w.key_id, sealed_secret, t, t, w.created_by_id
    from json_to_record(webhook) as w(id text, url text, url_key text, interests text, match text, key_id text, created_by_id text)
      on conflict (org_id, md5(url_key), md5(coalesce(match, ''))) where deleted_at is null do nothing;
  return case when found then 'created' else 'exists' end;
end $$;

-- Replaces what `changes` names; a secret takes the place of the one before, which stays in use for `overlap`, if the
-- one before is still the one that `seen_secret` is the digest of.
-- What stays the same keeps its version. outcome: changed · not-found · stale (the version is another, of those that name one) · exists
-- (this URL and match) · large (more bytes than the org may have) · moved (the secret was another)
create or replace function change_webhook(org text, webhook text, changes json, sealed_secret bytea, overlap interval) returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  now_is webhooks;
  next_is webhooks;
  more int;
begin
  if changes ->> 'interests' is not null or (changes ->> 'has_match')::boolean then
    perform 1 from orgs o where o.id = org for no key update; -- as a creation does
  end if;
  select * into now_is from webhooks w where w.org_id = org and w.id = webhook and w.deleted_at is null for update;
  if not found then
    return 'not-found';
  elsif now_is.version <> (changes ->> 'version')::bigint then
    return 'stale';
  end if;
  if sealed_secret is not null and encode(sha256(now_is.secret), 'hex') is distinct from changes ->> 'seen_secret' then
    return 'moved';
  end if;
  more := coalesce(octet_length(changes ->> 'interests') - octet_length(now_is.interests), 0)
          + case when (changes ->> 'has_match')::boolean
                 then octet_length(coalesce(changes ->> 'match', '')) - octet_length(coalesce(now_is.match, '')) else 0 end;
  if more > 0 and webhooks_too_large(org, more) then
    return 'large';
  end if;
  next_is := now_is;
  next_is.interests := coalesce(changes ->> 'interests', now_is.interests);
  next_is.match := case when (changes ->> 'has_match')::boolean then changes ->> 'match' else now_is.match end;
  if sealed_secret is null and next_is is not distinct from now_is then
    return 'changed';
  end if;
  update webhooks w
     set interests = next_is.interests, match = next_is.match,
         previous_key_id = case when sealed_secret is null then w.previous_key_id else w.key_id end,
         previous_secret = case when sealed_secret is null then w.previous_secret else w.secret end,
         previous_until = case when sealed_secret is null then w.previous_until
                               when w.secret is not null then t + overlap end,
         key_id = case when sealed_secret is null then w.key_id else changes ->> 'key_id' end,
         secret = coalesce(sealed_secret, w.secret),
         version = w.version + 1, updated_at = t
   where w.org_id = org and w.id = webhook;
  return 'changed';
exception when unique_violation then
  return 'exists';
end $$;

-- Whether there was one to delete. Its secrets go at once; who delivers to it gives up what is left.
create or replace function delete_webhook(org text, webhook text) returns boolean
  language plpgsql as $$
declare
  was_there boolean;
begin
  perform 1 from webhook_lines l where l.org_id = org and l.webhook_id = webhook for update;
  update webhooks w
     set deleted_at = svc_now(), key_id = null, secret = null, previous_key_id = null, previous_secret = null,
         previous_until = null
   where w.org_id = org and w.id = webhook and w.deleted_at is null;
  was_there := found;
  update webhook_lines l set due_at = svc_now(), rests_until = null where l.org_id = org and l.webhook_id = webhook;
  return was_there;
end $$;
