import { parseExactly } from "../../shared/parse-exactly.ts";
import { rolePermissions } from "../../shared/permissions.ts";
import { planNames } from "../../shared/plans/plan-names.ts";
import { Problem } from "../../shared/problem.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Broker } from "../broker.ts";
import { outside } from "../tokens/bound/require-within.ts";
import { type DeedRow, findDeedContents, listDeeds, type SealedDeed } from "./redrive-queries.ts";
import { type Acting, type Filer, requireTargets, requireTypes } from "./require-targets.ts";

/** So much of sealed contents is in memory at once. */
const pieceBytes = 4 * 1024 * 1024;

type Parts = Pick<Broker, "db" | "seals">;
type Asked = {
  readonly queueId: string;
  readonly ids: readonly string[];
  /** So many bytes of contents may be opened; what a piece goes beyond it counts as well. */
  readonly mostBytes: number;
};
/** What each signal asks of who has it act again: why it may not. */
export type RedriveAnswers = {
  readonly refusals: ReadonlyMap<string, Problem>;
  /** Those that were not looked at, as too much would have had to be opened. */
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
  { queueId, ids, mostBytes }: Asked,
): Promise<RedriveAnswers> {
  const refusals = new Map<string, Problem>();
  const ask = asker(parts, caller);
  const rows = await listDeeds(parts.db, caller.orgId, queueId, ids);
  const isOpened = (row: DeedRow): boolean => caller.bound === null && isRead(row);
  for (const row of rows.filter((one) => !isOpened(one))) {
    const acting = { type: row.type, value: {}, into: row.into ?? undefined };
    const refusal = await refusalOf(() => ask(acting));
    if (refusal !== undefined) refusals.set(row.signal_id, refusal);
  }
  let openedBytes = 0;
  const toOpen = rows.filter((row) => isOpened(row) && !refusals.has(row.signal_id));
  let at = 0;
  while (at < toOpen.length && openedBytes < mostBytes) {
    const piece = nextPiece(toOpen.slice(at));
    at += piece.length;
    openedBytes += piece.reduce((bytes, { size }) => bytes + size, 0);
    const sealed = await findDeedContents(parts.db, caller.orgId, piece);
    const whole = new Map(sealed.map((one) => [nameOf(one), one]));
    for (const row of piece) {
      const contents = whole.get(nameOf(row));
      const refusal = contents && (await askSealed(parts, caller, { row, contents, ask }));
      if (refusal !== undefined) refusals.set(row.signal_id, refusal);
    }
  }
  const left = new Set(toOpen.slice(at).map(({ signal_id: id }) => id));
  return { refusals, left, openedBytes };
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

function nextPiece(rows: readonly DeedRow[]): readonly DeedRow[] {
  let bytes = 0;
  const end = rows.findIndex(({ size }) => (bytes += size) > pieceBytes);
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

const nameOf = ({ signal_id: id, n }: Pick<DeedRow, "signal_id" | "n">): string => `${id} ${n}`;
