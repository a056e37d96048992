/** The object or list that a text is, where it is one: plans have values in values. */
export function jsonWithin(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object; // it begins as one
  } catch {
    return undefined;
  }
}
