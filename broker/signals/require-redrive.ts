import { setImmediate as nextTurn } from "node:timers/promises";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { rolePermissions } from "../../shared/permissions.ts";
import { planNames } from "../../shared/plans/plan-names.ts";
import { Problem } from "../../shared/problem.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Broker } from "../broker.ts";
import { outside } from "../tokens/bound/require-within.ts";
import { type DeedRow, findDeedContents, listDeeds, type SealedDeed } from "./redrive-queries.ts";
import { type Acting, type Filer, requireTargets, requireTypes } from "./require-targets.ts";

/** So much of sealed contents is opened in one turn of the event loop, but for a single one that is longer. */
const pieceBytes = 512 * 1024;
/** So many deeds are asked about until others have their turn, and the clock is looked at. */
const pieceRows = 50;

type Parts = Pick<Broker, "db" | "seals">;
type RedriveCheck = {
  readonly queueId: string;
  readonly ids: readonly string[];
  /** So many bytes of contents may be opened; what a piece goes beyond it counts as well. */
  readonly mostBytes: number;
  /** By `performance.now()`: what is not looked at by then is left. */
  readonly untilMs: number;
};
/** What each signal asks of who has it act again: why it may not. */
export type RedriveAnswers = {
  readonly refusals: ReadonlyMap<string, Problem>;
  /**
   * Those that the caller may have act. One that was not dead when it was asked about is in none of the three: nothing was asked of
   * it, though it may be dead by now.
   */
  readonly permitted: readonly string[];
  /** Those that were not wholly looked at, as too much would have had to be opened or the time was up. */
  readonly left: ReadonlySet<string>;
  readonly openedBytes: number;
};

/**
 * Asks of a caller what each of these dead signals of a queue asks of who files it, and what its callbacks ask that are not made yet.
 * Nothing is looked up for signals that act nowhere, and the same question is asked once.
 */
export async function askRedrive(
  parts: Parts,
  caller: Filer,
  { queueId, ids, mostBytes, untilMs }: RedriveCheck,
): Promise<RedriveAnswers> {
  const refusals = new Map<string, Problem>();
  const left = new Set<string>();
  const ask = asker(parts, caller);
  const isOpened = (row: DeedRow): boolean => caller.bound === null && isRead(row);
  let rows: readonly DeedRow[] = await listDeeds(parts.db, caller.orgId, queueId, ids);
  const dead = new Set(rows.map((row) => row.signal_id));
  let openedBytes = 0;
  while (rows.length > 0 && performance.now() < untilMs) {
    const piece = nextPiece(rows, isOpened);
    rows = rows.slice(piece.length);
    for (const row of piece.filter((one) => !isOpened(one))) {
      const acting = { type: row.type, value: {}, into: row.into ?? undefined };
      const refusal = await refusalOf(() => ask(acting));
      if (refusal !== undefined) refusals.set(row.signal_id, refusal);
    }
    const toOpen = piece.filter((row) => isOpened(row) && !refusals.has(row.signal_id));
    if (openedBytes < mostBytes) {
      openedBytes += toOpen.reduce((bytes, { size }) => bytes + size, 0);
      await openPiece(parts, caller, { rows: toOpen, ask, refusals });
    } else for (const { signal_id: id } of toOpen) left.add(id);
    await nextTurn();
  }
  for (const { signal_id: id } of rows) left.add(id);
  for (const id of refusals.keys()) left.delete(id);
  const permitted = [...dead].filter((id) => !refusals.has(id) && !left.has(id));
  return { refusals, permitted, left, openedBytes };
}

async function openPiece(
  parts: Parts,
  caller: Filer,
  { rows, ask, refusals }: { rows: DeedRow[]; ask: Ask; refusals: Map<string, Problem> },
): Promise<void> {
  if (rows.length === 0) return;
  const sealed = await findDeedContents(parts.db, caller.orgId, rows);
  const whole = new Map(sealed.map((one) => [nameOf(one), one]));
  for (const row of rows) {
    const contents = whole.get(nameOf(row));
    const refusal = contents && (await askSealed(parts, caller, { row, contents, ask }));
    if (refusal !== undefined) refusals.set(row.signal_id, refusal);
  }
}

/** Whether a caller may do whatever any signal does: what an admin of the org may, with a token that is bound to nothing. */
export function mayAllDeeds({ bound, permissions }: Filer): boolean {
  return bound === null && rolePermissions.org_admin.every((one) => permissions.has(one));
}

/** Refuses with 403 what the caller may not do. */
type Ask = (acting: Acting) => Promise<void>;

/** The answers are kept by what is asked: a thousand jobs for one runner ask the same. */
function asker(parts: Parts, caller: Filer): Ask {
  const known = new Map<string, Problem | undefined>();
  return async (acting) => {
    const row = signalType(acting.type);
    if (row?.isInternal === true) return; // its lane was asked
    if (caller.bound !== null) throw outside("this signal was filed by hand");
    const name = nameOfAsked(acting);
    if (!known.has(name)) known.set(name, await refusalOf(() => requireAll(acting)));
    const refusal = known.get(name);
    if (refusal !== undefined) throw refusal;
  };

  async function requireAll(acting: Acting): Promise<void> {
    requireTypes(caller, acting);
    await requireTargets(parts, caller, acting);
  }
}

function nameOfAsked({ type, value, into }: Acting): string {
  const row = signalType(type);
  const names = row?.runnerOf && planNames(value["plan"]);
  const on = [row?.permissions?.(value), row?.actsOn?.(value), row?.runnerOf?.(value)];
  return JSON.stringify([type, into, names, ...on]);
}

/** What it does depends on its contents. */
function isRead({ type }: DeedRow): boolean {
  const row = signalType(type);
  if (row === undefined || row.isInternal === true) return false;
  return row.permissions !== undefined || row.actsOn !== undefined || row.runnerOf !== undefined;
}

async function askSealed(
  { seals }: Parts,
  { orgId }: Filer,
  { row, contents, ask }: { row: DeedRow; contents: SealedDeed; ask: Ask },
): Promise<Problem | undefined> {
  const { sealed_id: id, part, key_id: keyId, contents: bytes } = contents;
  return refusalOf(async () => {
    const text = seals.open({ orgId, id, part }, { keyId, bytes }).toString("utf8");
    const read = signalType(row.type)?.schema.safeParse(parseExactly(text));
    if (read?.success !== true) return; // it is given up at once by whoever executes it
    await ask({ type: row.type, value: read.data, into: row.into ?? undefined });
  });
}

async function refusalOf(act: () => Promise<void>): Promise<Problem | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function nextPiece(
  rows: readonly DeedRow[],
  isOpened: (row: DeedRow) => boolean,
): readonly DeedRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    bytes += isOpened(row) ? row.size : 0;
    return bytes > pieceBytes || at === pieceRows;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

const nameOf = ({ signal_id: id, n }: Pick<DeedRow, "signal_id" | "n">): string => `${id} ${n}`;
