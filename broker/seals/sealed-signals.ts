import type { Db } from "../database/connect.ts";
import type { PlaceParts, PlaceWalk, SealedPlace } from "./sealed-place.ts";
import type { Seals } from "./seals.ts";

type Row = {
  readonly org_id: string;
  readonly key_id: string | null;
  readonly bytes: Buffer | null;
};

const walkAtOnce = 1000;

/** The data and results of signals, and what their callbacks hold. Rows are walked in the order of their primary keys. */
export const sealedSignals: readonly SealedPlace[] = [
  { table: "queue_signals", due: dueSignals, reseal: resealSignal },
  { table: "queue_signal_ends", due: dueResults, reseal: resealResult },
  { table: "queue_signal_callbacks", due: dueCallbacks, reseal: resealCallback },
];

async function* dueSignals(db: Db, { newest, signal }: PlaceWalk): AsyncGenerator<string> {
  for (let [org, after] = ["", ""]; !signal.aborted;) {
    const rows = await db<{ org_id: string; id: string; is_due: boolean }[]>`
      select org_id, id, key_id is distinct from ${newest} as is_due from queue_signals
       where (org_id, id) > (${org}, ${after}) order by org_id, id limit ${walkAtOnce}`;
    for (const { org_id, id, is_due } of rows) if (is_due) yield `${org_id} ${id}`;
    const last = rows.at(-1);
    if (last === undefined) return;
    [org, after] = [last.org_id, last.id];
  }
}

async function resealSignal({ db, seals }: PlaceParts, place: string): Promise<void> {
  const [org = "", id = ""] = place.split(" ");
  const [row] = await db<Row[]>`
    select org_id, key_id, contents as bytes from queue_signals where org_id = ${org} and id = ${id}`;
  const sealed = anew(seals, row, { id, part: "signal" });
  if (sealed === undefined) return;
  await db`
    update queue_signals set key_id = ${sealed.keyId}, contents = ${sealed.bytes}
     where org_id = ${org} and id = ${id} and key_id is not distinct from ${row?.key_id ?? null}`;
}

async function* dueResults(db: Db, { newest, signal }: PlaceWalk): AsyncGenerator<string> {
  for (let after = ""; !signal.aborted;) {
    const rows = await db<{ id: string; is_due: boolean }[]>`
      select signal_id as id, result is not null and key_id is distinct from ${newest} as is_due from queue_signal_ends
       where signal_id > ${after} order by signal_id limit ${walkAtOnce}`;
    for (const { id, is_due } of rows) if (is_due) yield id;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function resealResult({ db, seals }: PlaceParts, id: string): Promise<void> {
  const [row] = await db<Row[]>`
    select org_id, key_id, result as bytes from queue_signal_ends where signal_id = ${id}`;
  const sealed = anew(seals, row, { id, part: "signal-result" });
  if (sealed === undefined) return;
  await db`
    update queue_signal_ends set key_id = ${sealed.keyId}, result = ${sealed.bytes}
     where signal_id = ${id} and key_id is not distinct from ${row?.key_id ?? null}`;
}

async function* dueCallbacks(db: Db, { newest, signal }: PlaceWalk): AsyncGenerator<string> {
  for (let [after, nth] = ["", 0]; !signal.aborted;) {
    const rows = await db<{ signal_id: string; n: number; is_due: boolean }[]>`
      select signal_id, n, key_id is distinct from ${newest} as is_due from queue_signal_callbacks
       where (signal_id, n) > (${after}, ${nth}) order by signal_id, n limit ${walkAtOnce}`;
    for (const { signal_id, n, is_due } of rows) if (is_due) yield `${signal_id} ${n}`;
    const last = rows.at(-1);
    if (last === undefined) return;
    [after, nth] = [last.signal_id, last.n];
  }
}

/** What becomes a signal is sealed as one, for the end of the other only copies it. */
async function resealCallback({ db, seals }: PlaceParts, place: string): Promise<void> {
  const [signalId = "", n = ""] = place.split(" ");
  const [row] = await db<(Row & { next_id: string; kind: string })[]>`
    select org_id, key_id, contents as bytes, next_id, kind from queue_signal_callbacks
     where signal_id = ${signalId} and n = ${Number(n)}`;
  const part = row?.kind === "signal" ? "signal" : "callback";
  const sealed = anew(seals, row, { id: row?.next_id ?? "", part });
  if (sealed === undefined) return;
  await db`
    update queue_signal_callbacks set key_id = ${sealed.keyId}, contents = ${sealed.bytes}
     where signal_id = ${signalId} and n = ${Number(n)} and key_id is not distinct from ${row?.key_id ?? null}`;
}

function anew(seals: Seals, row: Row | undefined, named: { id: string; part: string }) {
  if (row === undefined || row.bytes === null) return undefined;
  const thing = { orgId: row.org_id, ...named };
  return seals.seal(thing, seals.open(thing, { keyId: row.key_id, bytes: row.bytes }));
}
