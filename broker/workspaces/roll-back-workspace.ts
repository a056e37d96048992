import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Actor } from "../tokens/actor.ts";
import { openStored, type Readable } from "./read-parts.ts";
import { requireState } from "./show-workspace.ts";
import { makeStateScan } from "./state-scan.ts";
import { requireWritable, writeState } from "./write-state.ts";

type Rollback = {
  readonly workspaceId: string;
  readonly revision: number;
  readonly reason: string;
};

/**
 * Makes an older revision the current state: its bytes with the current serial plus one, as a new revision.
 * 423 while the workspace is locked, 409 when another state was written in the meantime.
 */
export async function rollBackWorkspace(
  broker: Pick<Broker, "db" | "seals">,
  actor: Pick<Actor, "id" | "orgId">,
  { workspaceId, revision, reason }: Rollback,
): Promise<void> {
  const { db } = broker;
  const { orgId } = actor;
  const { workspace, state: old } = await requireState(db, orgId, {
    workspaceId,
    named: String(revision),
  });
  if (workspace.state_id === old.id) {
    throw problem.conflict(
      "state_is_current",
      `Revision ${revision} is already the current state.`,
    );
  }
  const current =
    workspace.state_id === null
      ? undefined
      : (await requireState(db, orgId, { workspaceId, named: workspace.state_id })).state;
  const write = {
    workspaceId,
    jobId: null,
    lockId: null,
    needsLock: false,
    isTerraform: old.serial !== null,
    rollback: { from: revision, reason },
  };
  await requireWritable(db, orgId, write);
  const readable = openStored(broker, old);
  const serial = Math.max(old.serial ?? 0, current?.serial ?? 0) + 1;
  const pieces = old.serial === null ? readable.pieces() : withSerial(readable, serial);
  await writeState(broker, actor, { write, pieces, withPermit: (act) => act() }); // its request holds one
}

/** The same text with another serial. It is read twice, because the serial may be anywhere in it. */
async function* withSerial(readable: Readable, serial: number): AsyncGenerator<Buffer> {
  const scan = makeStateScan();
  for await (const piece of readable.pieces()) scan.push(piece);
  const [start, end] = scan.end().serialAt ?? [0, 0];
  let offset = 0;
  for await (const piece of readable.pieces()) {
    const [from, to] = [start - offset, end - offset];
    if (from >= piece.length || to <= 0) yield piece;
    else {
      yield piece.subarray(0, Math.max(from, 0));
      if (from >= 0) yield Buffer.from(String(serial));
      yield piece.subarray(Math.min(to, piece.length));
    }
    offset += piece.length;
  }
}
