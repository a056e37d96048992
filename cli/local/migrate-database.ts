import { OperatorError } from "../../shared/operator-error.ts";
import { type Command, defineCommand } from "../command.ts";
import type { CliConfig } from "../config.ts";
import { defineList } from "../lists/define-list.ts";
import { printPage, type View } from "../output/print.ts";

/** The database that DATABASE_URL names; an OperatorError when it names none. */
export function requireDatabaseUrl({ databaseUrl }: CliConfig): string {
  if (databaseUrl === undefined) {
    throw new OperatorError(
      "DATABASE_URL is missing: set it, like postgres://user@host:5432/name.",
    );
  }
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new OperatorError("DATABASE_URL must look like postgres://user@host:5432/name.");
  }
  return databaseUrl;
}

const migrateUp = defineCommand({
  name: "migrate up",
  summary: "Migrate the database to this version's schema.",
  details:
    "Forward only. Several at once apply each migration once; a schema newer than this version is refused.",
  isLocal: true,
  examples: [
    { does: "Migrate before a new version starts.", run: "DATABASE_URL=… svc migrate up" },
  ],
  run: async ({ config, screen }) => {
    const url = requireDatabaseUrl(config);
    const { migrate } = await import("../../broker/database/migrate.ts");
    const names = await screen.during("Migrating the database", migrate(url));
    const page = {
      text: JSON.stringify({ applied: names }),
      body: { items: names, next_cursor: null },
    };
    const columns = { APPLIED: (name: string) => name };
    printPage(screen, page, {
      columns,
      nameOf: (name) => name,
      empty: "Nothing to apply: the schema is current.",
      more: "",
    });
  },
});

type Migration = {
  readonly name: string;
  readonly state: string;
  readonly applied_at: string | null;
};

const migrationLine: View<Migration> = {
  nameOf: ({ name }) => name,
  columns: {
    NAME: ({ name }) => name,
    STATE: ({ state }) => state,
    APPLIED: ({ applied_at }) => applied_at ?? "",
  },
};

const listSchema = defineList({
  name: "migrate list",
  summary: "List the migrations and which of them the database in DATABASE_URL has.",
  isLocal: true,
  isWhole: true,
  examples: [
    { does: "List pending migrations.", run: "DATABASE_URL=… svc migrate list" },
    { does: "Print JSON for a script.", run: "DATABASE_URL=… svc migrate list -o json" },
  ],
  view: migrationLine,
  empty: "There are no migrations.",
  read: async ({ config, screen }) => {
    const url = requireDatabaseUrl(config);
    const { listMigrations } = await import("../../broker/database/migrate.ts");
    const rows = await screen.during("Reading the schema", listMigrations(url));
    const items = rows.map(({ name, state, appliedAt }) => ({
      name,
      state,
      applied_at: appliedAt?.toISOString() ?? null,
    }));
    return { text: JSON.stringify({ items }), body: { items, next_cursor: null } };
  },
});

/** The commands of the database's schema, in the order of help. */
export const migrateCommands: readonly Command[] = [migrateUp, listSchema];
