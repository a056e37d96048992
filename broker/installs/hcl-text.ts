/** A text as Terraform's language has it on one line, with nothing in it that would be evaluated. */
export const hclText = (text: string): string =>
  JSON.stringify(text.toWellFormed())
    .replaceAll(/\\(?:\\|[bf])/g, (one) => escapes[one] ?? one) // with escaped backslashes, so that none is half of a match
    .replaceAll("\u007f", String.raw`\u007f`)
    .replaceAll(/[$%](?=\{)/g, "$&$&");

/** What JSON has and this language has not. */
const escapes: Readonly<Record<string, string>> = {
  [String.raw`\b`]: String.raw`\u0008`,
  [String.raw`\f`]: String.raw`\u000c`,
};
