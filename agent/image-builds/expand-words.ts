export type Variables = ReadonlyMap<string, string>;

const braced = /^\{([A-Za-z_]\w*)(?:(:?[-+])([^]*))?\}$/;

/**
 * What stands in a line of a Dockerfile after its variables: `$X`, `${X}`, `${X:-else}`, `${X:+then}`. Quotes are gone; a
 * variable without a value is empty.
 */
export function expandWords(text: string, variables: Variables, escape = "\\"): string {
  let shown = "";
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (quote !== "'" && letter === escape) {
      at += 1;
      shown += text[at] ?? "";
    } else if (letter === quote) quote = "";
    else if (quote === "" && (letter === "'" || letter === '"')) quote = letter;
    else if (quote !== "'" && letter === "$") {
      const named = nameAt(text, at + 1);
      shown += named === "" ? "$" : valueOf(named, variables, escape);
      at += named.length;
    } else shown += letter;
  }
  return shown;
}

/** The name after a `$`, with its braces. */
function nameAt(text: string, from: number): string {
  if (text[from] !== "{") return /^[A-Za-z_]\w*/.exec(text.slice(from))?.[0] ?? "";
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(from, at + 1);
  }
  return "";
}

function valueOf(named: string, variables: Variables, escape: string): string {
  if (!named.startsWith("{")) return variables.get(named) ?? "";
  const [, name = "", how = "", other = ""] = braced.exec(named) ?? [];
  const value = variables.get(name);
  const isThere = how.startsWith(":") ? Boolean(value) : value !== undefined;
  if (how.endsWith("+")) return isThere ? expandWords(other, variables, escape) : "";
  if (how.endsWith("-") && !isThere) return expandWords(other, variables, escape);
  return value ?? "";
}
