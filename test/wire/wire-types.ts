import { readFile } from "node:fs/promises";

/** A type of the wire. */
export type WireType =
  | { readonly kind: "any" | "none" | "string" | "integer" | "number" | "boolean" }
  | { readonly kind: "list" | "map" | "maybe"; readonly of: WireType }
  | { readonly kind: "named"; readonly name: string };

/** What clients call: a verb and a path, what they take for success, and what they send. */
export type WireOperation = {
  readonly method: string;
  /** As the facts name its ids. */
  readonly path: string;
  /** The type of the body of each status that is success. */
  readonly answers: ReadonlyMap<number, WireType>;
  readonly body: WireType;
  /** Query parameters that clients send. */
  readonly query: readonly string[];
};

export type WireMember = { readonly type: WireType; readonly isRequired: boolean };

const plain = ["string", "integer", "number", "boolean"] as const;
const [routeLines, typeLines] = await Promise.all(
  ["routes.txt", "wire-types.txt"].map(async (name) => {
    const text = await readFile(new URL(name, import.meta.url), "utf8");
    return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  }),
);
const queries = new Map(
  (routeLines ?? []).map((line): [string, readonly string[]] => {
    const [method, path, , query = "-"] = line.split(" ");
    return [`${method ?? ""} ${path ?? ""}`, query === "-" ? [] : query.split(",")];
  }),
);

/** Every operation that clients call. */
export const wireOperations: readonly WireOperation[] = (typeLines ?? [])
  .filter((line) => line.includes(" -> "))
  .map(readOperation);

/** The members of each type that is an object. */
export const wireObjects: ReadonlyMap<string, ReadonlyMap<string, WireMember>> = new Map(
  (typeLines ?? []).filter((line) => /^\w+: /.test(line)).map(readObject),
);

/** The words of each type that is an enumeration. */
export const wireWords: ReadonlyMap<string, readonly string[]> = new Map(
  (typeLines ?? [])
    .filter((line) => /^\w+ = /.test(line))
    .map((line): [string, readonly string[]] => {
      const [name = "", words = ""] = line.split(" = ");
      return [name, words.split(" | ").map((word) => (word === '""' ? "" : word))];
    }),
);

/** A verb and a path without the names of ids: equal for ours and theirs. */
export function routeKey(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, "{}")}`;
}

function readOperation(line: string): WireOperation {
  const [call = "", says = ""] = line.split(" -> ");
  const [method = "", path = ""] = call.split(" ");
  const [answer = "", body = "-"] = says.split(" <- ");
  const words = answer.split(" ").filter((word) => word !== "");
  const answers = new Map<number, WireType>();
  for (let at = 0; at < words.length; at++)
    if (/^\d{3}$/.test(words[at] ?? "")) {
      const type = words[at + 1];
      const isType = type !== undefined && !/^\d{3}$/.test(type);
      answers.set(Number(words[at]), readType(isType ? type : "-"));
    }
  return { method, path, answers, body: readType(body), query: queries.get(call) ?? [] };
}

function readObject(line: string): [string, ReadonlyMap<string, WireMember>] {
  const [, name = "", members = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
  const parts = members.split(/, (?=[\w.-]+!? )/).map((part): [string, WireMember] => {
    const [, word = "", required = "", type = ""] = /^([\w.-]+)(!?) (.+)$/.exec(part) ?? [];
    return [word, { type: readType(type), isRequired: required !== "" }];
  });
  return [name, new Map(parts)];
}

function readType(text: string): WireType {
  const trimmed = text.trim();
  const kind = plain.find((one) => one === trimmed);
  if (kind !== undefined) return { kind };
  if (trimmed === "-") return { kind: "none" };
  if (trimmed === "Any" || trimmed === "any") return { kind: "any" };
  if (trimmed.endsWith(" | None")) return { kind: "maybe", of: readType(trimmed.slice(0, -7)) };
  if (trimmed.startsWith("[")) return { kind: "list", of: readType(trimmed.slice(1, -1)) };
  const [, of] = /^map<string,(.+)>$/.exec(trimmed) ?? [];
  if (of !== undefined) return { kind: "map", of: readType(of) };
  if (/^\w+$/.test(trimmed)) return { kind: "named", name: trimmed };
  throw new Error(`no type of the wire: ${text}`);
}
