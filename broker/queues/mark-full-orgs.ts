import type { Db } from "../database/connect.ts";

const mebibyte = 1024 ** 2;

/** Marks the orgs whose queues hold more than so many MiB together (0: any amount), whose enqueues are refused until they hold less. */
export async function markFullOrgs(db: Db, mostMib: number): Promise<void> {
  await db`select mark_full_orgs(${mostMib * mebibyte})`;
}
