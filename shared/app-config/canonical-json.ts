import { createHash } from "node:crypto";

/** JSON with the members of each table by their names and nothing between: equal values are equal bytes. */
export function canonicalJson(value: unknown): string {
  const pieces: string[] = [];
  write(pieces, value);
  return pieces.join("");
}

/** The pieces are put together once: a long text is not copied for each table that it is in. */
function write(pieces: string[], value: unknown): void {
  if (Array.isArray(value)) writeList(pieces, value);
  else if (typeof value === "object" && value !== null) writeTable(pieces, value);
  else pieces.push(JSON.stringify(value) ?? "null");
}

function writeList(pieces: string[], list: readonly unknown[]): void {
  if (list.every((one) => typeof one !== "object" || one === null)) {
    pieces.push(JSON.stringify(list));
    return;
  }
  pieces.push("[");
  for (const [at, one] of list.entries()) {
    if (at > 0) pieces.push(",");
    write(pieces, one);
  }
  pieces.push("]");
}

function writeTable(pieces: string[], table: object): void {
  const members = Object.entries(table)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  pieces.push("{");
  for (const [at, [key, one]] of members.entries()) {
    pieces.push(`${at > 0 ? "," : ""}${JSON.stringify(key)}:`);
    write(pieces, one);
  }
  pieces.push("}");
}

/** The checksum of a canonical text. */
export const checksumOf = (text: string): string => createHash("sha256").update(text).digest("hex");
