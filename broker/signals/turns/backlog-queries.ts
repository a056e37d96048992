import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { CallbackTry } from "./queries.ts";
import type { TurnLease } from "./turn.ts";
import type { TurnOwner } from "./turns.ts";

/** Puts turns in the backlog; one whose lease is no longer the current one stays as it is. */
export async function putOffTurns(db: Db, leases: readonly TurnLease[]): Promise<void> {
  await db`
    select put_off_turns(${leases.map(({ signalId }) => signalId)}, ${leases.map(({ leaseId }) => leaseId)})`;
}

/** A callback that is put off: when its try was begun, that was none. */
export type PutOffCallback = CallbackTry & { readonly isBegun: boolean };

/** Puts callbacks in the backlog; one of which another try has begun stays as it is. */
export async function putOffCallbacks(db: Db, tries: readonly PutOffCallback[]): Promise<void> {
  const begun = db.array(
    tries.map(({ isBegun }) => isBegun),
    booleans,
  );
  await db`
    select put_off_callbacks(${tries.map(({ signalId }) => signalId)}, ${tries.map(({ n }) => n)}::int[],
                             ${tries.map(({ begins }) => begins)}::int[], ${begun})`;
}

const booleans = 1000;

/** What was taken from the backlog. */
export type TakenTurn =
  | { readonly kind: "turn"; readonly lease: TurnLease }
  | { readonly kind: "callback"; readonly next: CallbackTry };

/** Takes the first of a line: its clocks run from now on. */
export async function takeBacklog(
  db: Db,
  { orgId, type }: TurnOwner,
  most: number,
): Promise<TakenTurn[]> {
  const rows = await db<
    {
      signal_id: string;
      lease_id: string | null;
      callback: number | null;
      begins: number | null;
    }[]
  >`select * from take_backlog(${orgId}, ${type}, ${most})`;
  return rows.map((row): TakenTurn => {
    const signalId = row.signal_id;
    if (row.lease_id !== null)
      return { kind: "turn", lease: { orgId, signalId, leaseId: row.lease_id } };
    const next = { orgId, signalId, n: row.callback ?? 0, begins: row.begins ?? 0 };
    return { kind: "callback", next };
  });
}

/** Whose work waits in the backlog: the lines after this one, in their order. */
export async function listBacklogLines(
  db: Db,
  after: TurnOwner | undefined,
  most: number,
): Promise<TurnOwner[]> {
  const rows = await db<{ org_id: OrgId; type: string }[]>`
    select org_id, type from backlog_lines(${after?.orgId ?? ""}, ${after?.type ?? ""}, ${most})`;
  return rows.map((row) => ({ orgId: row.org_id, type: row.type }));
}
