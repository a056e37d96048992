/** Whether the texts in one of these values are longer together than so many letters, by no look at more than these. */
export function isLonger(value: unknown, most: number): boolean {
  return lettersLeft(value, most) < 0;
}

/** Each value counts as a letter, too. */
function lettersLeft(value: unknown, most: number): number {
  if (typeof value === "string") return most - value.length;
  if (typeof value !== "object" || value === null) return most - 1;
  let left = most - 1;
  for (const name in value) {
    if (left < 0) break;
    if (!Object.hasOwn(value, name)) continue;
    const member = (value as Readonly<Record<string, unknown>>)[name]; // of its own
    left = lettersLeft(member, Array.isArray(value) ? left : left - name.length);
  }
  return left;
}
