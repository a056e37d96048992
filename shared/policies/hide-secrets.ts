import { hiddenValue } from "../hidden-value.ts";

/** A message in which these texts are hidden, also as JSON has them and in base64: the longest first, as none is part of one after it. */
export function hideSecrets(message: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    Buffer.from(text).toString("base64"),
  ]);
  return [...new Set(forms)]
    .filter((text) => text !== "")
    .sort((a, b) => b.length - a.length)
    .reduce((shown, text) => shown.replaceAll(text, () => hiddenValue), message);
}
