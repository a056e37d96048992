import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** A deletion that this broker has taken. */
export type TakenDeletion = {
  readonly org_id: OrgId;
  readonly build_id: string;
  /** With the registry's host. */
  readonly repository: string;
  readonly tag: string;
  readonly digest: string | null;
  readonly tries: number;
  /** As the database writes it: by this it is still ours. */
  readonly until: string;
};

/** Takes one that is due for so long, of the next org after one; undefined where none has any. */
export async function takeArtifactDeletion(
  db: Db,
  after: string,
  seconds: number,
): Promise<TakenDeletion | undefined> {
  const [row] = await db<TakenDeletion[]>`
    select d.org_id, d.build_id, d.repository, d.tag, d.digest, d.tries, d.taken_until::text as until
      from take_artifact_deletion(${after}, make_interval(secs => ${seconds})) d`;
  return row;
}

/** What may become of what was announced. */
export type Judged = "go" | "kept" | "open" | "lost";

/** Announces that this digest is about to be deleted, and then asks whether it may be. Two statements: a build that comes between them finds the first. */
export async function announceAndJudge(
  db: Db,
  { org_id, build_id, until }: TakenDeletion,
  digest: string,
): Promise<Judged> {
  const [said] = await db<{ is_ours: boolean }[]>`
    select announce_artifact_deletion(${org_id}, ${build_id}, ${until}::text::timestamptz, ${digest}) as is_ours`;
  if (said?.is_ours !== true) return "lost";
  const [row] = await db<{ judged: Judged }[]>`
    select judge_artifact_deletion(${org_id}, ${build_id}, ${until}::text::timestamptz) as judged`;
  return row?.judged ?? "lost";
}

/** Of these digests those that other builds of the same repository have. */
export async function digestsOfBuilds(
  db: Db,
  { org_id, build_id }: TakenDeletion,
  digests: readonly string[],
): Promise<readonly string[]> {
  const [row] = await db<{ kept: string[] }[]>`
    select digests_of_builds(${org_id}, ${build_id}, ${[...digests]}::text[]) as kept`;
  return row?.kept ?? [];
}

/** Has it tried again after so many seconds. */
export async function putOffDeletion(
  db: Db,
  { org_id, build_id, until }: TakenDeletion,
  { why, seconds }: { readonly why: string; readonly seconds: number },
): Promise<void> {
  await db`
    select put_off_artifact_deletion(${org_id}, ${build_id}, ${until}::text::timestamptz, ${why}, make_interval(secs => ${seconds}))`;
}

/** Ends it; its build is gone then. */
export async function endDeletion(
  db: Db,
  { org_id, build_id, until }: TakenDeletion,
  {
    came,
    why = "",
  }: { readonly came: "deleted" | "gone" | "kept" | "left"; readonly why?: string },
): Promise<void> {
  await db`select end_artifact_deletion(${org_id}, ${build_id}, ${until}::text::timestamptz, ${came}, ${why})`;
}

/** Why a registry does not delete what it is asked to. */
export type RegistryRefusal = {
  readonly reason: "unsupported" | "refused";
  readonly detail: string;
};

/** What a registry refused within the last day; undefined where it refused nothing. */
export async function findRefusal(db: Db, server: string): Promise<RegistryRefusal | undefined> {
  const [row] = await db<RegistryRefusal[]>`
    select r.reason, r.detail from registry_refusals r
     where r.server = ${server} and r.refused_at > svc_now() - interval '1 day'`;
  return row;
}

/** Remembers that a registry refused. */
export async function noteRefusal(
  db: Db,
  server: string,
  { reason, detail }: RegistryRefusal,
): Promise<void> {
  await db`
    insert into registry_refusals (server, reason, detail, refused_at) values (${server}, ${reason}, ${detail}, svc_now())
        on conflict (server) do update set reason = excluded.reason, detail = excluded.detail, refused_at = excluded.refused_at`;
}

/** Forgets it: the registry deletes. */
export async function forgetRefusal(db: Db, server: string): Promise<void> {
  await db`delete from registry_refusals r where r.server = ${server}`;
}
