import type { Plugin } from "rolldown";
import { parseAst } from "rolldown/parseAst";

/**
 * Lets a built program begin on an older Node, which then can be told: names of Node's own modules are looked up when it
 * begins, not when it is read, and expressions that an older Node cannot read are made when they are needed. A name that
 * is not there is undefined then, instead of an end before the first line.
 */
export const lateNames: Plugin = {
  name: "late-names",
  transform: {
    filter: { id: /\.[cm]?js$/, code: /\/[dgimsuy]*v/ },
    handler: (code) => ({ code: withLateExpressions(code), map: null }),
  },
  renderChunk: (code) => ({ code: code.replaceAll(namedImport, lateImport), map: null }),
};

/** Each is a line of its own, and stays one: the source map holds. */
const namedImport = /^import (?:([\w$]+), )?\{ ([^}]+) \} from "(node:[\w/]+)";$/gm;
/** Not there before Node 20: who imports them is not even begun. */
const young: readonly string[] = ["node:sea", "node:sqlite"];

function lateImport(_: string, whole: string | undefined, names: string, from: string): string {
  const space = `late_${from.replaceAll(/\W/g, "_")}`;
  const found = names.replaceAll(/([\w$]+) as ([\w$]+)/g, "$1: $2");
  if (young.includes(from)) {
    const asked = `import * as ${space} from "node:module"; const { ${found} } = (() => { try {`;
    return `${asked} return ${space}.createRequire(import.meta.url)("${from}"); } catch { return {}; } })();`;
  }
  const first = whole === undefined ? "" : `${whole}, `;
  return `import ${first}* as ${space} from "${from}"; const { ${found} } = ${space};`;
}

type Expression = { readonly start: number; readonly end: number; readonly text: string };

/** Regular expressions with the flag v, which came with Node 20, are made of texts. */
function withLateExpressions(code: string): string {
  const found: Expression[] = [];
  visit(parseAst(code), found);
  let late = code;
  for (const { start, end, text } of found.sort((a, b) => b.start - a.start)) {
    late = late.slice(0, start) + text + late.slice(end);
  }
  return late;
}

type Node = {
  readonly start?: number;
  readonly end?: number;
  readonly regex?: { readonly pattern: string; readonly flags: string } | null;
};

function visit(node: unknown, found: Expression[]): void {
  if (typeof node !== "object" || node === null) return;
  const { start = 0, end = 0, regex } = node as Node; // a syntax tree's
  if (regex?.flags.includes("v") === true) {
    const text = `new RegExp(${JSON.stringify(regex.pattern)}, ${JSON.stringify(regex.flags)})`;
    found.push({ start, end, text });
    return;
  }
  for (const part of Object.values(node)) visit(part, found);
}
