/**
 * A row of a table of moves: the event is its key. What has statuses is described by such a table (jobs, executions, processes and
 * shutdowns), and SQL has one function of each, NAME_status_after(status, event), that its moves ask. A test compares both row by row.
 */
export type Move<Status extends string> = {
  readonly from: readonly Status[];
  readonly to: Status;
  /** The guard, in words that docs show. */
  readonly when: string;
  /** What is written with it besides the status. */
  readonly also?: string;
};

export type MoveTable<Status extends string> = Readonly<Record<string, Move<Status>>>;

/** Where the event leads from this status; undefined: the table has no such move. */
export function statusAfter<Status extends string>(
  table: MoveTable<Status>,
  status: Status,
  event: string,
): Status | undefined {
  const move = table[event];
  return move?.from.includes(status) === true ? move.to : undefined;
}

/** A status that no row of the table leaves is the last. */
export function isLast<Status extends string>(table: MoveTable<Status>, status: Status): boolean {
  return !Object.values(table).some(({ from }) => from.includes(status));
}
