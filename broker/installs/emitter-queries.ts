import type { Db } from "../database/connect.ts";
import { writeEmitterPause } from "../emitters/queries.ts";
import type { EmitterRow } from "../emitters/row.ts";
import type { OrgId } from "../orgs/org-id.ts";

export type KeptEmitter = Pick<EmitterRow, "id" | "name" | "status" | "paused_by_id">;

/** The emitters in a lane of an install that follow its config, by the types of their signals. */
export async function listInstallEmitters(
  db: Db,
  org: OrgId,
  { queueId, types }: { readonly queueId: string; readonly types: readonly string[] },
): Promise<KeptEmitter[]> {
  return db<KeptEmitter[]>`
    select e.id, e.name, e.status, e.paused_by_id from queue_emitters e
     where e.org_id = ${org} and e.queue_id = ${queueId} and e.signal_type = any(${[...types]})
     order by e.id`;
}

/** Pauses an emitter in the name of its install, or resumes it; what was done meanwhile by somebody else stays. */
export async function restEmitter(
  db: Db,
  org: OrgId,
  to: {
    readonly id: string;
    readonly event: "pause" | "resume";
    readonly note: string;
    readonly installId: string;
  },
): Promise<void> {
  await writeEmitterPause(db, org, { ...to, until: null, actorId: to.installId });
}
