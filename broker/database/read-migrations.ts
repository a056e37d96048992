import { createHash } from "node:crypto";
import { baseline } from "./baseline.ts";
import { readSqlFiles, type SqlFile } from "./read-sql-files.ts";
import { shippedMigrations } from "./shipped-migrations.ts";

export type Migration = {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
};

export type Migrations = {
  readonly numbered: readonly Migration[];
  /** Named functions/…; applied when their text is another than the database's. */
  readonly functions: readonly Migration[];
  /** The revision of the set of functions: a version that knows a lower one is older. */
  readonly revision: number;
  /** Tells their texts from those of another set that has the same revision. */
  readonly setChecksum: string;
  /** Whether the numbered files begin with the baseline. */
  readonly hasBaseline: boolean;
};

const fileName = /^\d{4}-[a-z0-9-]+\.sql$/;

/** The migrations of a directory (by default ours) in the order in which they are applied. */
export async function readMigrations(directory?: string): Promise<Migrations> {
  const files = directory === undefined ? await shippedMigrations() : await readSqlFiles(directory);
  requireOrder(files.numbered);
  const numbered = files.numbered.map(asMigration);
  const functions = files.functions.map(asMigration);
  const set = functions.map(({ name, checksum }) => `${name} ${checksum}`).join("\n");
  return {
    numbered,
    functions: functions.map((one) => ({ ...one, name: `functions/${one.name}` })),
    revision: files.functionSet.revision,
    setChecksum: createHash("sha256").update(set).digest("hex"),
    hasBaseline: numbered[0]?.name === baseline.first,
  };
}

function requireOrder(files: readonly SqlFile[]): void {
  const first = files[0]?.file === `${baseline.first}.sql` ? Number(baseline.first.slice(0, 4)) : 1;
  for (const [at, { file }] of files.entries()) {
    if (!fileName.test(file)) throw new Error(`${file} is not named NNNN-words.sql`);
    if (Number(file.slice(0, 4)) !== first + at) throw new Error(`${file} leaves a gap or repeats`);
  }
}

function asMigration({ file, text: read }: SqlFile): Migration {
  const text = read.replaceAll("\r\n", "\n");
  const checksum = createHash("sha256").update(text).digest("hex");
  return { name: file.replace(/\.sql$/, ""), text, checksum };
}
