/** Where the login of a job's plan is to the registry that it pulls from. */
const loginPaths = [
  ["src_registry", "ociauth"],
  ["oci_source", "registry", "ociauth"],
] as const;

/** The text of a job's plan without its login to a registry: byte for byte, but for that member. */
export function withoutLogins(planText: string): string {
  return loginPaths.reduce<string>((text, path) => {
    let without = text;
    for (let span = spanAt(without, path); span !== undefined; span = spanAt(without, path)) {
      without = without.slice(0, span.from) + without.slice(span.to);
    }
    return without;
  }, planText);
}

type Span = { readonly from: number; readonly to: number };
type Member = Span & { readonly name: string; readonly valueAt: number };

/** What to take out, with its comma, so that the member of that path is gone; undefined when there is none. */
function spanAt(text: string, path: readonly string[], at = 0): Span | undefined {
  const [name = "", ...rest] = path;
  let former: Member | undefined;
  for (const member of membersAt(text, skipSpace(text, at))) {
    if (member.name === name && rest.length > 0) {
      const inner = spanAt(text, rest, member.valueAt);
      if (inner !== undefined) return inner;
    } else if (member.name === name) {
      if (former !== undefined) return { from: former.to, to: member.to };
      return { from: member.from, to: afterComma(text, member.to) };
    }
    former = member;
  }
  return undefined;
}

/** The members of the object that begins there, in their order; none of anything else. */
function* membersAt(text: string, objectAt: number): Generator<Member> {
  if (text[objectAt] !== "{") return;
  let at = skipSpace(text, objectAt + 1);
  while (text[at] === '"') {
    const from = at;
    const nameEnd = skipText(text, at);
    const valueAt = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const to = skipValue(text, valueAt);
    yield { name: JSON.parse(text.slice(from, nameEnd)) as string, from, valueAt, to };
    at = skipSpace(text, to);
    if (text[at] !== ",") return;
    at = skipSpace(text, at + 1);
  }
}

/** Behind a comma and the space after it, where there is one. */
function afterComma(text: string, at: number): number {
  const comma = skipSpace(text, at);
  return text[comma] === "," ? skipSpace(text, comma + 1) : at;
}

const space = /[ \t\r\n]*/y;

function skipSpace(text: string, at: number): number {
  space.lastIndex = at;
  space.exec(text);
  return space.lastIndex;
}

/** Behind the text that begins there. */
function skipText(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

const structure = /["[\]{}]/g;
const scalarEnd = /[,\]}\s]|$/g;

/** Behind the value that begins there. */
function skipValue(text: string, at: number): number {
  if (text[at] === '"') return skipText(text, at);
  if (text[at] !== "{" && text[at] !== "[") {
    scalarEnd.lastIndex = at;
    return scalarEnd.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let next = at; next < text.length;) {
    structure.lastIndex = next;
    const found = structure.exec(text);
    if (found === null) return text.length;
    const [mark] = found;
    next = mark === '"' ? skipText(text, found.index) : found.index + 1;
    if (mark === "{" || mark === "[") depth++;
    if (mark === "}" || mark === "]") depth--;
    if (depth === 0) return next;
  }
  return text.length;
}
