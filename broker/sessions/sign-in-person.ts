import type { Db } from "../database/connect.ts";
import type { Person } from "../oidc/provider.ts";
import { SignInFault } from "../oidc/sign-in-fault.ts";
import { mint } from "../tokens/token-secret.ts";
import { makeSession, type NewSession, type Signing } from "./sign-in.ts";

/**
 * Signs in whom the provider vouches for, as the account that is the person's. Its sessions stand for one token, whose
 * secret nobody knows: who revokes that ends them all.
 */
export async function signInPerson(db: Db, person: Person, signing: Signing): Promise<NewSession> {
  // A first sign-in that another one of the same person overtakes finds what that one has written.
  const found =
    (await takeToken(db, person, signing.hours)) ?? (await takeToken(db, person, signing.hours));
  if (found === undefined) throw new SignInFault("unknown-person", { subject: person.subject });
  return await makeSession(db, { tokenId: found.id, orgId: found.org_id }, signing);
}

/** The token of the person's sign-ins, made at the first one; undefined without an account that has a role somewhere. */
async function takeToken(
  db: Db,
  { issuer, subject }: Person,
  hours: number,
): Promise<{ readonly id: string; readonly org_id: string } | undefined> {
  const { id, digest, hint } = mint("pat");
  const [row] = await db<{ id: string; org_id: string }[]>`
    with known as (
      update sign_in_identities set last_used_at = svc_now()
       where issuer = ${issuer} and subject = ${subject}
      returning account_id),
    met as (
      insert into sign_in_identities (issuer, subject, account_id)
      select ${issuer}, ${subject}, a.id
        from accounts a
       where a.account_type in ('auth', 'auth0') and a.subject = ${subject}
         and not exists (select from known)
         and not exists (select from sign_in_identities i where i.account_id = a.id)
       order by a.account_type
       limit 1
      on conflict do nothing
      returning account_id),
    person as (select account_id from known union all select account_id from met),
    kept as (
      update tokens t
         set expires_at = greatest(t.expires_at, svc_now() + make_interval(hours => ${hours})), updated_at = svc_now()
       where t.id = (select mine.id from tokens mine join person p on p.account_id = mine.account_id
                      where mine.source_type = 'sign_in' and mine.issuer = ${issuer} and mine.revoked_at is null
                        and mine.replaced_by is null
                        and exists (select from account_roles ar
                                     where ar.account_id = mine.account_id and ar.org_id = mine.org_id)
                      order by mine.created_at, mine.id
                      limit 1)
      returning t.id, t.org_id),
    made as (
      insert into tokens (id, org_id, digest, hint, kind, reach, token_type, name, account_id, issuer, source_type,
                          expires_at, created_by_id)
      select ${id}, first.org_id, ${digest}, ${hint}, 'pat', 'account', 'auth', 'Dashboard sign-ins', p.account_id,
             ${issuer}, 'sign_in', svc_now() + make_interval(hours => ${hours}), p.account_id
        from person p
        cross join lateral (select ar.org_id from account_roles ar where ar.account_id = p.account_id
                             order by ar.created_at, ar.org_id limit 1) first
       where not exists (select from kept)
      returning id, org_id)
    select id, org_id from kept union all select id, org_id from made`;
  return row;
}
