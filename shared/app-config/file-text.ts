import { configFiles } from "./config-files.ts";
import { chosen, configSchemaOf, inner } from "./config-schemas.ts";
import type { JsonSchema } from "./json-schema.ts";

type Value = string | boolean | number | Table | readonly Table[];
/** The members of a file, before they are text. */
export type Table = { readonly [member: string]: Value };

/** A file of this type as TOML: each member with what the table of files says of it. */
export function fileText(type: string, table: Table): string {
  const is = configFiles.find((file) => file.type === type)?.is ?? "";
  return `# ${is}\n\n${membersOf(configSchemaOf(type), table, [])}`;
}

/** Members first, then the tables and lists of tables below their headers, as TOML wants it. */
function membersOf(schema: JsonSchema | undefined, table: Table, at: readonly string[]): string {
  const own = chosen(schema, table);
  const lines: string[] = [];
  const lists: string[] = [];
  for (const [member, value] of Object.entries(table)) {
    const below = inner(own, member);
    if (typeof value !== "object") {
      lines.push(`${comment(below)}${member} = ${JSON.stringify(value)}\n`);
      continue;
    }
    const path = [...at, member];
    const [tables, head, of] = isList(value)
      ? [value, `[[${path.join(".")}]]`, below?.items]
      : [[value], `[${path.join(".")}]`, below];
    for (const one of tables) lists.push(`${comment(below)}${head}\n${membersOf(of, one, path)}`);
  }
  return [...lines, ...lists.map((text) => `\n${text}`)].join("");
}

const isList = (value: Table | readonly Table[]): value is readonly Table[] => Array.isArray(value);

const comment = (schema: JsonSchema | undefined): string =>
  schema?.description === undefined ? "" : `# ${schema.description}\n`;
