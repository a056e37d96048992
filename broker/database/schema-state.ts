import { createHash } from "node:crypto";
import { OperatorError } from "../../shared/operator-error.ts";
import { baseline } from "./baseline.ts";
import type { Db } from "./connect.ts";
import type { Tx } from "./driver-workarounds.ts";
import { type Migration, type Migrations, readMigrations } from "./read-migrations.ts";

export type MigrationState = "applied" | "pending" | "changed" | "unknown";
export type MigrationRow = {
  readonly name: string;
  readonly state: MigrationState;
  readonly appliedAt: Date | null;
};
type AppliedRow = { name: string; checksum: string; applied_at: Date };
type FunctionRow = AppliedRow & { revision: number };
/** The row of svc_functions that says which set the database has, or is about to have. */
export const functionSetRow = "functions";

/** What the database's schema is, against the files of this version; changes nothing. */
export async function schemaState(db: Db | Tx, directory?: string): Promise<MigrationRow[]> {
  const migrations = await readMigrations(directory);
  const numbered = await appliedRows(db);
  const functions = await functionRows(db);
  return [...numberedState(migrations, numbered), ...functionsState(migrations, functions)];
}

/** Throws an OperatorError unless the schema is exactly what this version knows. */
export async function requireCurrentSchema(db: Db, directory?: string): Promise<void> {
  const rows = await schemaState(db, directory);
  requireFit(rows);
  if (rows.every(({ state }) => state === "pending"))
    throw new OperatorError('The database has no schema of svc yet. Run "svc migrate up".');
  const pending = named(rows, "pending");
  if (pending !== "") {
    throw new OperatorError(
      `The database schema is not up to date: ${pending} is missing. Run "svc migrate up".`,
    );
  }
}

/**
 * Throws an OperatorError when a broker that runs cannot go on with the schema. A newer version may have migrated
 * it: its additions and replacements are compatible with this version.
 */
export async function requireServedSchema(db: Db, directory?: string): Promise<void> {
  const { numbered } = await readMigrations(directory);
  const wrong = stateOf(numbered, await appliedRows(db), "changed").filter(
    ({ state }) => state !== "applied",
  );
  if (wrong.length === 0) return;
  const names = wrong.map(({ name, state }) => `${name} (${state})`).join(", ");
  throw new OperatorError(`The database schema no longer is what this version needs: ${names}.`);
}

/** Throws an OperatorError when the schema is newer than this version, too old for it, or of other text. */
export function requireFit(rows: readonly MigrationRow[]): void {
  const unknown = named(rows, "unknown");
  if (unknown !== "") {
    throw new OperatorError(
      `The database has ${unknown}, which this version does not know: run the newer svc that made it.`,
    );
  }
  const changed = named(rows, "changed");
  if (changed !== "") {
    throw new OperatorError(
      `The database was made by other text than that of ${changed}: an applied migration must not be edited.`,
    );
  }
  const numbered = rows.filter(({ name }) => !name.startsWith("functions/"));
  requireWayOn(numbered);
  const lastApplied = numbered.findLastIndex(({ state }) => state === "applied");
  const skipped = named(numbered.slice(0, Math.max(lastApplied, 0)), "pending");
  if (skipped !== "") {
    throw new OperatorError(
      `The database lacks ${skipped}, but has later migrations: give it a number after the last one.`,
    );
  }
}

/** Whether the database has all that the baseline makes, and does not say so yet. */
export async function canTakeOver(tx: Tx, { hasBaseline }: Migrations): Promise<boolean> {
  const rows = (await appliedRows(tx)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (!hasBaseline || rows.at(-1)?.name !== baseline.past.last) return false;
  const lines = rows.map(({ name, checksum }) => `${name} ${checksum}`).join("\n");
  if (createHash("sha256").update(lines).digest("hex") === baseline.past.digest) return true;
  throw new OperatorError(
    `The database was made by other text than that of 0001 to ${baseline.past.last}: ` +
      "an applied migration must not be edited.",
  );
}

function numberedState(migrations: Migrations, applied: readonly AppliedRow[]): MigrationRow[] {
  const { numbered } = migrations;
  const isPast = ({ name }: AppliedRow) => migrations.hasBaseline && name < baseline.first;
  const past = applied.filter(isPast);
  const names = new Set(numbered.map(({ name }) => name));
  const unknown = applied.filter((row) => !isPast(row) && !names.has(row.name));
  return [
    ...past.map((row) => asRow(row, "applied")),
    ...stateOf(numbered, applied, "changed"),
    ...unknown.map((row) => asRow(row, "unknown")),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Functions of a newer set are not checked one by one: an older version does not know them. */
function functionsState(migrations: Migrations, applied: readonly FunctionRow[]): MigrationRow[] {
  const newest = applied.toSorted((a, b) => a.revision - b.revision).at(-1);
  if (newest !== undefined && newest.revision > migrations.revision) {
    return [asRow({ ...newest, name: `functions of revision ${newest.revision}` }, "unknown")];
  }
  const set = applied.find(({ name }) => name === functionSetRow);
  if (set?.revision === migrations.revision && set.checksum !== migrations.setChecksum) {
    return [asRow({ ...set, name: `functions of revision ${set.revision}` }, "changed")];
  }
  return stateOf(migrations.functions, applied, "pending");
}

function stateOf(
  files: readonly Migration[],
  applied: readonly AppliedRow[],
  otherText: MigrationState,
): MigrationRow[] {
  const byName = new Map(applied.map((row) => [row.name, row]));
  return files.map(({ name, checksum }) => {
    const row = byName.get(name);
    if (row === undefined) return { name, state: "pending", appliedAt: null };
    return asRow(row, row.checksum === checksum ? "applied" : otherText);
  });
}

const asRow = (row: AppliedRow, state: MigrationState): MigrationRow => ({
  name: row.name,
  state,
  appliedAt: row.applied_at,
});

/** A database of before the baseline has to have all that the baseline stands for. */
function requireWayOn(rows: readonly MigrationRow[]): void {
  const stands = rows.findLast(({ state }) => state === "applied")?.name ?? "";
  const isPast = rows.some(({ name }) => name === baseline.first) && stands < baseline.first;
  if (stands === "" || !isPast || stands === baseline.past.last) return;
  throw new OperatorError(
    `The database stands at ${stands}, and this version goes on from ${baseline.past.last}: ` +
      `run "svc migrate up" of ${baseline.past.version} first.`,
  );
}

function named(rows: readonly MigrationRow[], wanted: MigrationState): string {
  return rows
    .filter(({ state }) => state === wanted)
    .map(({ name }) => name)
    .join(", ");
}

async function appliedRows(db: Db | Tx): Promise<AppliedRow[]> {
  if (!(await hasTable(db, "svc_migrations"))) return [];
  return await db<AppliedRow[]>`select name, checksum, applied_at from svc_migrations`;
}

async function functionRows(db: Db | Tx): Promise<FunctionRow[]> {
  if (!(await hasTable(db, "svc_functions"))) return [];
  return await db<FunctionRow[]>`select name, checksum, applied_at, revision from svc_functions`;
}

async function hasTable(db: Db | Tx, name: string): Promise<boolean> {
  const [found] = await db<{ table: string | null }[]>`select to_regclass(${name})::text as table`;
  return found?.table != null;
}
