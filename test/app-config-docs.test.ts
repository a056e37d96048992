import { expect, test } from "vitest";
import {
  configFaultCodes,
  configNoticeCodes,
  configWarningCodes,
} from "../shared/app-config/config-fault.ts";
import { configFiles } from "../shared/app-config/config-files.ts";
import { configSchemaOf, configSchemaTypes } from "../shared/app-config/config-schemas.ts";
import type { JsonSchema } from "../shared/app-config/json-schema.ts";
import { templateFunctions } from "../shared/app-config/templates/template-functions.ts";

test("docs/app-config-files.md is what the table of files says (npx vitest run test/app-config-docs.test.ts -u)", async () => {
  await expect(page()).toMatchFileSnapshot("../docs/app-config-files.md");
});

const head = `# The files of an app's config

Every file and every member, made from \`shared/app-config/config-files.ts\`. What they are for: [app configs](app-config.md). A member in
**bold** is required; where text may be in a file of its own, \`./path\` stands for it ([from where](app-config.md#the-directory)).`;

function page(): string {
  const kinds = new Map(configFiles.map((file) => [file.type, file]));
  const sections = [...kinds.values()].map((kind) => {
    const names = configFiles
      .filter(({ type }) => type === kind.type)
      .map(({ file, folder }) => `\`${file ?? `${folder}/*.toml`}\``);
    const same = whole(kind.type);
    const members =
      same === undefined ? tableOf(configSchemaOf(kind.type)) : `As an element of \`${same}\`.\n`;
    return `## ${names.join(", ")}\n\n${kind.is}\n\n${members}`;
  });
  const functions = [...templateFunctions.values()]
    .map(({ name, values, is }) => `| \`${name} ${values}\` | ${is} |`)
    .join("\n");
  const codes = [...configFaultCodes, ...configWarningCodes, ...configNoticeCodes]
    .map((code) => `\`${code}\``)
    .join(" ");
  return `${head}\n\n${sections.join("\n")}\n## Functions of templates\n\n| function | gives |\n|---|---|\n${functions}\n\n## Codes of faults and warnings\n\n${codes}\n`;
}

/** The list that one file's contents are an element of, where another file has the list. */
function whole(type: string): string | undefined {
  const own = configFiles.find((file) => file.type === type);
  if (own?.member === undefined) return undefined;
  const list = configFiles.find((file) => file.section === own.section && file.file !== undefined);
  return list && `${list.file} [[${own.member}]]`;
}

function tableOf(schema: JsonSchema | undefined): string {
  const kinds = schema?.oneOf;
  if (kinds === undefined)
    return `| member | is | |\n|---|---|---|\n${rowsOf(schema, "").join("\n")}\n`;
  return kinds
    .map((kind) => {
      const { const: only, enum: words } = kind.properties?.["type"] ?? {};
      const type = (words ?? [only]).map((word) => `\`type = "${String(word)}"\``).join(", ");
      return `### ${type}\n\n| member | is | |\n|---|---|---|\n${rowsOf(kind, "").join("\n")}\n`;
    })
    .join("\n");
}

function rowsOf(schema: JsonSchema | undefined, before: string): string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([member, one]) => {
    if (one.const !== undefined) return [];
    const name = `${before}${member}`;
    const isNeeded = schema?.required?.includes(member) === true;
    const shown = isNeeded ? `**\`${name}\`**` : `\`${name}\``;
    const row = `| ${shown} | ${kindOf(one)} | ${(one.description ?? "").replaceAll("|", "\\|")} |`;
    if (one.items?.properties !== undefined) return [row, ...rowsOf(one.items, `${name}[].`)];
    return one.properties === undefined ? [row] : [row, ...rowsOf(one, `${name}.`)];
  });
}

function kindOf(schema: JsonSchema): string {
  if (schema.enum !== undefined)
    return schema.enum.map((word) => `\`${String(word) || '""'}\``).join(" ");
  if (schema.anyOf !== undefined) return schema.anyOf.length === 2 ? "duration" : "value";
  if (schema.type === "array") return schema.items?.properties === undefined ? "list" : "tables";
  if (schema.type === "object")
    return schema.properties === undefined ? "names and values" : "table";
  return (
    { string: "text", integer: "whole number", number: "number", boolean: "true or false" }[
      schema.type ?? ""
    ] ?? "any value"
  );
}

test("the schema of a type is made once", () => {
  for (const type of configSchemaTypes) expect(configSchemaOf(type)).toBe(configSchemaOf(type));
  expect(configSchemaOf("nothing")).toBe(undefined);
});
