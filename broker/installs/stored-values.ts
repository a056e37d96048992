import { setImmediate as nextTurn } from "node:timers/promises";
import type { Broker } from "../broker.ts";
import { listOutputs } from "../executions/queries.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type LargeSealed, mostAtOnceBytes, openLarge, wholeOf } from "../seals/open-large.ts";
import { appSecretThing } from "../seals/reseal-app-secret.ts";
import type { StoredValues } from "./state-values.ts";

export type ReadingParts = Pick<Broker, "db" | "seals" | "largeReads">;
type Named = Awaited<ReturnType<StoredValues["outputs"]>>;
/** Where values are, and how long. */
export type ValuePlaces = Pick<StoredValues, "digest" | "bytes"> & {
  readonly appId: string;
  readonly inputsId: string;
  readonly ends: readonly (StoredValues["ends"][number] & {
    readonly execution_id: string | null;
  })[];
};

/** The values of an install by where they are stored. */
export function storedValues(
  parts: ReadingParts,
  org: OrgId,
  { appId, inputsId, ends, ...rest }: ValuePlaces,
): StoredValues {
  const given = once(() => readGiven(parts.db, org, { appId, inputsId }));
  return {
    ...rest,
    ends,
    inputs: once(async () => openInputs(parts, org, { id: inputsId, rows: await given() })),
    variables: once(async () => await openVariables(parts, org, { appId, rows: await given() })),
    outputs: async (keys) => {
      const wanted = new Set(keys);
      const ids = ends.flatMap(({ name, execution_id: id }) =>
        id === null || !wanted.has(name) ? [] : [[id, name] as const],
      );
      const names = new Map(ids);
      const found: [string, Buffer][] = [];
      for (const row of await listOutputs(parts, org, [...names.keys()]))
        found.push([names.get(row.execution_id) ?? "", await bytesOf(parts, row.outputs)]);
      return found;
    },
  };
}

/** What several renderings of the same values read is read once. */
function once<Read>(read: () => Promise<Read>): () => Promise<Read> {
  let first: Promise<Read> | undefined;
  return () => (first ??= read());
}

type GivenRow = {
  /** Of an app's variable; null of the inputs. */
  readonly name: string | null;
  readonly key_id: string | null;
  readonly value: Buffer;
};

/** The inputs of the install and the variables of its app, sealed, by one statement: what needs one mostly needs the other. */
async function readGiven(
  db: ReadingParts["db"],
  org: OrgId,
  { appId, inputsId }: { readonly appId: string; readonly inputsId: string },
): Promise<readonly GivenRow[]> {
  return db<GivenRow[]>`
    select null as name, n.key_id, n.contents as value from install_inputs n where n.org_id = ${org} and n.id = ${inputsId}
    union all
    select * from (
      select s.name, s.key_id, s.value from app_secrets s where s.org_id = ${org} and s.app_id = ${appId} order by s.name) s`;
}

type Opening<Of> = Of & { readonly rows: readonly GivenRow[] };

function openInputs(
  { seals }: ReadingParts,
  org: OrgId,
  { id, rows }: Opening<{ readonly id: string }>,
): Buffer {
  const row = rows.find(({ name }) => name === null);
  if (row === undefined) throw new Error(`the inputs ${id} are gone`);
  const thing = { orgId: org, id, part: "install-inputs" };
  return seals.open(thing, { keyId: row.key_id, bytes: row.value });
}

async function openVariables(
  { seals }: ReadingParts,
  org: OrgId,
  { appId, rows }: Opening<{ readonly appId: string }>,
): Promise<Named> {
  const opened: [string, Buffer][] = [];
  let since = 0;
  for (const { name, key_id: keyId, value: bytes } of rows) {
    if (name === null) continue;
    opened.push([name, seals.open(appSecretThing(org, appId, name), { keyId, bytes })]);
    since += bytes.length;
    if (since < mostAtOnceBytes) continue;
    since = 0;
    await nextTurn();
  }
  return opened;
}

/** The JSON of an execution's outputs as it was stored; long ones are read and opened in pieces. */
export async function readOutputs(
  parts: ReadingParts,
  org: OrgId,
  executionId: string,
): Promise<Buffer> {
  const [row] = await listOutputs(parts, org, [executionId]);
  return await bytesOf(parts, row?.outputs ?? "{}");
}

async function bytesOf(
  { seals, largeReads }: ReadingParts,
  outputs: string | LargeSealed,
): Promise<Buffer> {
  if (typeof outputs === "string") return Buffer.from(outputs);
  const whole = await wholeOf(await openLarge({ seals, largeReads }, outputs));
  return Buffer.from(whole.buffer, whole.byteOffset, whole.length);
}
