import type { Plugin } from "rolldown";

/**
 * Lets a built program begin on an older Node, which then can be told: names of Node's own modules are looked up when it
 * begins, not when it is read. A name that is not there is undefined then, instead of an end before the first line.
 */
export const lateNames: Plugin = {
  name: "late-names",
  renderChunk: (code) => ({ code: code.replaceAll(namedImport, lateImport), map: null }),
};

/** Each is a line of its own, and stays one: the source map holds. */
const namedImport = /^import (?:([\w$]+), )?\{ ([^}]+) \} from "(node:[\w/]+)";$/gm;

function lateImport(_: string, whole: string | undefined, names: string, from: string): string {
  const space = `late_${from.replaceAll(/\W/g, "_")}`;
  const first = whole === undefined ? "" : `${whole}, `;
  const found = names.replaceAll(/([\w$]+) as ([\w$]+)/g, "$1: $2");
  return `import ${first}* as ${space} from "${from}"; const { ${found} } = ${space};`;
}
