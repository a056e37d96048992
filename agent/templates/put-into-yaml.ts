import type { Scalar } from "yaml";
import { jsonOf } from "../../shared/app-config/templates/json-value.ts";
import { parseYaml } from "../kubernetes/read-yaml.ts";
import type { Marks } from "./marks.ts";
import { scalarOf, valueIn } from "./value-in.ts";

/**
 * YAML with values in the place of their marks. Each stays within its scalar: it adds no key, item or document, ends no quotes and
 * begins no comment. Lines keep their numbers. Throws YamlFault.
 */
export async function putIntoYaml(text: string, marks: Marks): Promise<string> {
  if (!marks.isIn(text)) return text;
  const edits: Edit[] = [];
  const { documents } = await parseYaml(text);
  const { visit } = await import("yaml");
  for (const document of documents) {
    visit(document, {
      Scalar: (_, node) => {
        const edit = editOf(node, text, marks);
        if (edit !== undefined) edits.push(edit);
      },
    });
  }
  let [made, at] = ["", 0];
  for (const { from, to, text: put } of edits.toSorted((one, other) => one.from - other.from)) {
    made += marks.words(text.slice(at, from)) + put;
    at = to;
  }
  made += marks.words(text.slice(at));
  await parseYaml(made); // a key that was made may be there already
  return made;
}

type Edit = { readonly from: number; readonly to: number; readonly text: string };

function editOf(node: Scalar, text: string, marks: Marks): Edit | undefined {
  const [from, to] = node.range ?? [0, 0];
  const source = text.slice(from, to);
  if (typeof node.value !== "string" || !marks.isIn(source)) return undefined;
  const lines = source.split("\n").length - 1;
  return {
    from,
    to,
    text: `${putOf(node, { source, value: node.value }, marks)}${"\n".repeat(lines)}`,
  };
}

type Read = { readonly source: string; readonly value: string };

function putOf({ type }: Scalar, { source, value }: Read, marks: Marks): string {
  if (type !== "PLAIN") return quoted(textIn(value, marks, deepOf(type, { source, value })));
  const only = marks.only(value);
  const put = only === undefined ? scalarOf(marks.plain(value)) : valueIn(only);
  if (typeof put !== "string") return escaped(jsonOf(put));
  return only === undefined || put === only.text ? word(put) : quoted(put);
}

/** A text; in a block, what `indent` has put before its lines is the block's own. */
const textIn = (value: string, marks: Marks, deep: number): string =>
  marks
    .piecesOf(value)
    .map(({ text, output }) =>
      output?.isLaidOut === true ? text.replaceAll(new RegExp(`\n {0,${deep}}`, "g"), "\n") : text,
    )
    .join("");

/** How far the lines of a block are indented. */
function deepOf(type: Scalar["type"], { source, value }: Read): number {
  if (type !== "BLOCK_LITERAL" && type !== "BLOCK_FOLDED") return 0;
  const first =
    source
      .split("\n")
      .slice(1)
      .find((line) => line.trim() !== "") ?? "";
  const own = value.split("\n").find((line) => line.trim() !== "") ?? "";
  return Math.max(0, spacesOf(first) - spacesOf(own));
}

const spacesOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

/** Words that are no texts, in YAML 1.1 or 1.2. */
const noTexts = /^(?:y|yes|n|no|on|off|true|false|null)$/i;

/** Without quotes where it is a text without them, too, whoever reads it. */
const word = (text: string): string =>
  /^[A-Za-z][\w.+-]*$/.test(text) && !noTexts.test(text) ? text : quoted(text);

const quoted = (text: string): string => escaped(JSON.stringify(text));

/** What JSON may have as it is, and YAML may not. */
const escaped = (json: string): string =>
  json.replaceAll(
    /[\u007F-\u009F\u2028\u2029\uFEFF]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
