import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { Schema } from "./document-shape.ts";
import { prose } from "./prose.ts";

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const maxDepth = 4;

/** A schema's members as a table, nested ones by their dotted path; named schemas are linked, not repeated. */
export function membersTable(schema: Schema, caption: string): Html {
  const rows = rowsOf(schema, "", 0);
  if (rows.length === 0) return html`<p>${typeOf(schema)} ${constraints(schema)}</p>`;
  return html`<div class="scroll">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** A schema's type in a few words: `string`, `array of RunnerJob`, `"a" | "b"`. */
export function typeOf(schema: Schema | undefined): Html {
  if (schema === undefined) return html`anything`;
  const { $ref, enum: words, items, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (words !== undefined) return html`${words.map((word) => JSON.stringify(word)).join(" | ")}`;
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (branches !== undefined) return joined(branches.map(typeOf), schema.allOf ? " & " : " | ");
  if (items !== undefined) return html`array of ${typeOf(items)}`;
  const { additionalProperties: values } = schema;
  if (typeof values === "object") return html`map of ${typeOf(values)}`;
  const name = [type ?? "anything"].flat().join(" | ");
  return html`${schema.format === undefined ? name : `${name} (${schema.format})`}`;
}

function rowsOf(schema: Schema, prefix: string, depth: number): Html[] {
  const inner = schema.items?.properties === undefined ? schema : schema.items;
  const base = inner === schema ? prefix : `${prefix}[]`;
  if (inner.properties === undefined || depth >= maxDepth) return [];
  return Object.entries(inner.properties).flatMap(([name, member]) => {
    const path = base === "" ? name : `${base}.${name}`;
    const isRequired = inner.required?.includes(name) === true;
    return [row(path, member, isRequired), ...rowsOf(member, path, depth + 1)];
  });
}

function row(path: string, member: Schema, isRequired: boolean): Html {
  return html`<tr>
    <td><code>${path}</code> ${isRequired ? html`<span class="must">required</span>` : ""}</td>
    <td>${typeOf(member)}</td>
    <td>
      ${member.description === undefined ? "" : prose(member.description)} ${constraints(member)}
    </td>
  </tr>`;
}

/** The bounds and the default of a schema, in words. */
export function constraints(schema: Schema | undefined): Html {
  if (schema === undefined) return html``;
  const { minimum, maximum, minLength, maxLength, pattern } = schema;
  const words = [
    span(minimum, maximum, ""),
    span(minLength, maxLength, " characters"),
    pattern === undefined ? "" : `like ${pattern}`,
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ].filter((word) => word !== "");
  return words.length === 0 ? html`` : html`<span class="soft">${words.join("; ")}</span>`;
}

function span(least: number | undefined, most: number | undefined, unit: string): string {
  const isHuge = most === undefined || most >= Number.MAX_SAFE_INTEGER;
  const isTiny = least === undefined || least <= Number.MIN_SAFE_INTEGER;
  if (isHuge) return isTiny ? "" : `${least}${unit} at least`;
  return isTiny ? `${most}${unit} at most` : `${least} to ${most}${unit}`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.flatMap((part, at) => (at === 0 ? [part] : [separator, part]))}`;
}
