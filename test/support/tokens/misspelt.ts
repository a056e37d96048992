/** A token, id or code with its last character typed wrongly: never the text itself, whatever it ends in. */
export function misspelt(text: string): string {
  return text.slice(0, -1) + (text.endsWith("x") ? "y" : "x");
}
