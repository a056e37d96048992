/** A text as TOML has it: as JSON does, but for DEL. */
export const tomlText = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replaceAll("\u007f", String.raw`\u007f`);

/** A value of JSON as TOML has it on one line. A null, which TOML has not, is left out. */
export function jsonToToml(value: unknown): string {
  if (typeof value === "string") return tomlText(value);
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value)) {
    const items = value.filter((one) => one !== null).map((one) => jsonToToml(one));
    return `[${items.join(", ")}]`;
  }
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value)
    .filter(([, one]) => one !== null)
    .map(([key, one]) => `${tomlText(key)} = ${jsonToToml(one)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** TOML's integers have 64 bits. */
const numberText = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
