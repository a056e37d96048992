import { configFiles } from "./config-files.ts";
import { chosen, configSchemaOf, inner, type JsonSchema } from "./config-schemas.ts";
import { namePattern } from "./members/kinds.ts";

type Value = string | boolean | number | readonly Table[];
type Table = { readonly [member: string]: Value };

/** The files of a small app by their names: each member with what the table of files says of it. */
export function starterFiles(folderName: string): Record<string, string> {
  return {
    "metadata.toml": fileOf("metadata", {
      name: nameOf(folderName),
      display_name: folderName,
      description: "What it is for, in a sentence.",
    }),
    "inputs.toml": fileOf("inputs", {
      input: [
        {
          name: "greeting",
          display_name: "Greeting",
          description: "What the action says.",
          type: "string",
          default: "Hello",
        },
      ],
    }),
    "actions/greet.toml": fileOf("action", {
      name: "greet",
      timeout: "1m",
      triggers: [{ type: "manual" }],
      steps: [{ name: "greet", inline_contents: "./scripts/greet.sh" }],
    }),
    "scripts/greet.sh":
      '#!/bin/sh\n# The broker fills in what is between the braces.\necho "{{ .svc.inputs.inputs.greeting }} from {{ .svc.install.name }}"\n',
  };
}

/** A folder's name as an app's. */
function nameOf(folderName: string): string {
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 63);
  return namePattern.test(name) ? name : "my-app";
}

function fileOf(type: string, table: Table): string {
  const is = configFiles.find((file) => file.type === type)?.is ?? "";
  return `# ${is}\n\n${membersOf(configSchemaOf(type), table, [])}`;
}

/** Members first, then the lists of tables below their headers, as TOML wants it. */
function membersOf(schema: JsonSchema | undefined, table: Table, at: readonly string[]): string {
  const own = chosen(schema, table);
  const lines: string[] = [];
  const lists: string[] = [];
  for (const [member, value] of Object.entries(table)) {
    const below = inner(own, member);
    if (typeof value !== "object")
      lines.push(`${comment(below)}${member} = ${JSON.stringify(value)}\n`);
    else {
      const path = [...at, member];
      for (const one of value)
        lists.push(`${comment(below)}[[${path.join(".")}]]\n${membersOf(below?.items, one, path)}`);
    }
  }
  return [...lines, ...lists.map((text) => `\n${text}`)].join("");
}

const comment = (schema: JsonSchema | undefined): string =>
  schema?.description === undefined ? "" : `# ${schema.description}\n`;
