import { createHash } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect } from "../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../broker/database/embedded.ts";
import { migrate } from "../broker/database/migrate.ts";
import type { FunctionSet } from "../broker/database/read-sql-files.ts";
import { migrationsFolder, shippedMigrations } from "../broker/database/shipped-migrations.ts";
import { describeSchema } from "./describe-schema.ts";

const schemaFile = path.join(migrationsFolder, "schema.sql");
const revisionFile = path.join(migrationsFolder, "functions", "revision.json");

if (import.meta.main) await writeSchema();

/** The file schema.sql as it has to be, from a database that is migrated. */
export async function schemaText(url: string): Promise<string> {
  const db = connect(url, { max: 1 });
  try {
    const head =
      "-- Written by `npm run schema`: what is here now. The numbered files say how it came to be.\n\n";
    return head + (await describeSchema(db, await functionFiles()));
  } finally {
    await db.end();
  }
}

/** Which file has the text of a function. */
export async function functionFiles(): Promise<Map<string, string>> {
  const { functions } = await shippedMigrations();
  const made = functions.flatMap(({ file, text }) =>
    [...text.matchAll(/^create or replace function (\w+)/gm)].map(
      ([, name = ""]) => [name, `functions/${file}`] as const,
    ),
  );
  return new Map(made);
}

/** What tells one set of functions from another. */
export async function functionsChecksum(): Promise<string> {
  const { functions } = await shippedMigrations();
  const texts = functions.map(({ file, text }) => `${file}\n${text.replaceAll("\r\n", "\n")}`);
  return createHash("sha256").update(texts.join("\n")).digest("hex");
}

async function writeSchema(): Promise<void> {
  await raiseRevision();
  const dataDir = await mkdtemp(path.join(tmpdir(), "svc-schema-"));
  await chmod(dataDir, 0o711); // as root, Postgres runs as another user
  const postgres = await startEmbeddedPostgres({ dataDir, fsync: false });
  try {
    await migrate(postgres.url);
    await writeFile(schemaFile, await schemaText(postgres.url));
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true });
  }
}

/** Functions of another text are a newer set: brokers of before leave them alone. */
async function raiseRevision(): Promise<void> {
  const known = JSON.parse(await readFile(revisionFile, "utf8")) as FunctionSet; // written below
  const checksum = await functionsChecksum();
  if (known.checksum === checksum) return;
  const next: FunctionSet = { revision: known.revision + 1, checksum };
  await writeFile(revisionFile, `${JSON.stringify(next, null, 2)}\n`);
}
