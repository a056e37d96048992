import { hash } from "node:crypto";
import type { Db } from "../database/connect.ts";
import { imageTypes } from "../deploys/deploy-part.ts";
import type { Access } from "./read-scopes.ts";

/** What a login that the broker made opens now; undefined when there is none, or its job has ended. */
export async function findLoginAccess(
  db: Db,
  server: string,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<readonly Access[] | undefined> {
  const [row] = await db<{ access: Access[] }[]>`
    select case when l.install_id is null then l.access else pulls_of_install(l.org_id, l.install_id, ${server}, ${imageTypes}) end as access
      from registry_logins l left join runner_job_live j on j.id = l.runner_job_id
     where l.id = ${username} and l.digest = decode(${hash("sha256", password, "hex")}, 'hex')
       and (l.runner_job_id is null or j.overall_at > svc_now())
       and (l.expires_at is null or l.expires_at > svc_now())`;
  return row?.access;
}
