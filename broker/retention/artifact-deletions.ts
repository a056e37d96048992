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

/** The digests of builds of the same repository that stay and may be indexes, at most so many. */
export async function indexesOfBuilds(
  db: Db,
  { org_id, build_id }: TakenDeletion,
  most: number,
): Promise<readonly string[]> {
  const [row] = await db<{ indexes: string[] }[]>`
    select indexes_of_builds(${org_id}, ${build_id}, ${most}) as indexes`;
  return row?.indexes ?? [];
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
