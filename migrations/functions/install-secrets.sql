-- Secrets of installs: where they are.

-- Says where the secret of a name is. outcome: created · replaced · not-found (the install) · full (it has as many as it may)
create or replace function set_install_secret(org text, install text, secret json, most int)
  returns table (outcome text, id text)
  language plpgsql as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  given record;
  there text;
begin
  perform 1 from installs i where i.org_id = org and i.id = install and i.deleted_at is null for no key update;
  if not found then
    return query select 'not-found', null::text;
    return;
  end if;
  select * into given
    from json_to_record(secret) as x(id text, name text, arn text, gcp_secret_name text, azure_key_vault_secret_id text,
                                     created_by_id text);
  update install_secrets s
     set name = given.name, arn = coalesce(given.arn, ''), gcp_secret_name = coalesce(given.gcp_secret_name, ''),
         azure_key_vault_secret_id = coalesce(given.azure_key_vault_secret_id, ''), updated_at = t
   where s.org_id = org and s.install_id = install and replace(s.name, '-', '_') = replace(given.name, '-', '_')
  returning s.id into there;
  if found then
    return query select 'replaced', there;
    return;
  elsif (select count(*) from install_secrets s where s.org_id = org and s.install_id = install) >= most then
    return query select 'full', null::text;
    return;
  end if;
  insert into install_secrets (id, org_id, install_id, name, arn, gcp_secret_name, azure_key_vault_secret_id, created_at,
                               updated_at, created_by_id)
  values (given.id, org, install, given.name, coalesce(given.arn, ''), coalesce(given.gcp_secret_name, ''),
          coalesce(given.azure_key_vault_secret_id, ''), t, t, given.created_by_id);
  return query select 'created', given.id;
end $$;
