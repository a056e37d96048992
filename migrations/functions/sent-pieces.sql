-- Large values are uploaded in pieces before the statement that stores them (broker/seals/staged-uploads.ts).

-- The whole uploaded value; null without an upload. Fails if pieces are missing.
create or replace function sent_bytes(org text, upload sent_upload) returns bytea
  language plpgsql as $$
declare
  sent bytea;
begin
  if upload.id is null then
    return null;
  end if;
  select string_agg(p.body, ''::bytea order by p.n) into sent
    from sent_pieces p where p.upload_id = upload.id and p.org_id = org;
  if octet_length(sent) is distinct from upload.bytes then
    raise exception 'the pieces of % are not all there', upload.id using errcode = 'crash_shutdown';
  end if;
  return sent;
end $$;
