/**
 * The forms of a secret that shells and scripting languages print when they quote: each way of a shell (`set -x`,
 * `printf %q`, GNU `ls`; in a UTF-8 locale and in C), and others with \xNN (Python, Ruby, Node). As latin1 text of
 * bytes.
 */
export function quotedForms(secret: Buffer): Set<string> {
  const text = secret.toString("latin1");
  if (/^[\w@%+=:,./-]*$/.test(text)) return new Set(); // nothing quotes that
  return new Set([
    ...signForms(text),
    ...[control, unprinted].flatMap((signs) => [
      ...escapedForms(text, signs),
      gnuForm(text, signs),
      splitForm(text, signs),
    ]),
    ...codePointForms(secret.toString("utf8")),
  ]);
}

/** Bytes that no locale prints as they are, and those that C does not. */
const control = /[^ -~\x80-\xff]/g;
const unprinted = /[^ -~]/g;

const inSingleQuotes = (text: string): string => text.replaceAll("'", String.raw`'\''`);

function signForms(text: string): string[] {
  return [
    inSingleQuotes(text),
    text.replaceAll("'", `'"'"'`),
    text.replaceAll(/[\\"$`]/g, String.raw`\$&`),
    text.replaceAll(/[\\"$`!]/g, String.raw`\$&`),
    text.replaceAll(/[^\w@%+=:,./\n\x80-\xff-]/g, String.raw`\$&`),
  ];
}

/** bash: $'p\303\244ss\E', GNU: p\303\244ss\033, Python: p\xc3\xa4ss\x1b, Ruby: p\xC3\xA4ss\e. */
function escapedForms(text: string, signs: RegExp): string[] {
  return [/\\/g, /[\\']/g, /[\\"]/g, /[\\ ]/g].flatMap((quotes) => {
    const escaped = text.replaceAll(quotes, String.raw`\$&`);
    return codes.map((code) => escaped.replaceAll(signs, code));
  });
}

const letters: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "E",
};

type Code = (sign: string) => string;

/** A byte by its letter escape, if it has one, or by its number. */
const coded =
  (named: string, numbered: Code): Code =>
  (sign) => {
    const letter = letters[sign];
    return `\\${letter !== undefined && named.includes(letter) ? letter : numbered(sign)}`;
  };
const octal: Code = (sign) => sign.charCodeAt(0).toString(8).padStart(3, "0");
const hex: Code = (sign) => `x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`;
const upperHex: Code = (sign) => `x${hex(sign).slice(1).toUpperCase()}`;
const [bash, gnu, python] = [coded("abtnvfrE", octal), coded("abtnvfr", octal), coded("tnr", hex)];
const codes = [bash, gnu, python, coded("tnr", upperHex), coded("abtnvfr", hex)];

/** GNU: 'p'$'\303\244''ss'$'\n' */
function gnuForm(text: string, { source }: RegExp): string {
  return inSingleQuotes(text)
    .replaceAll(new RegExp(`(?:${source})+`, "g"), (run) => {
      return `'$'${run.replaceAll(unprinted, gnu)}''`;
    })
    .replace(/''$/, "'");
}

/** A shell splits an unquoted value and prints each word quoted separately: 'p$ss' $'\303\244'. */
function splitForm(text: string, signs: RegExp): string {
  const words = text.split(/[ \t\n]+/).filter((word) => word !== "");
  const quoted = words.map((word) => {
    if (/["'\\|&;()<>!{}*[\]?^$`]|^[~#]/.test(word)) return `'${inSingleQuotes(word)}'`;
    return word.search(signs) === -1 ? word : `$'${word.replaceAll(signs, bash)}'`;
  });
  // The first and the last word may contain other text, too.
  return quoted.join(" ").replace(/^\$?'/, "").replace(/'$/, "");
}

/** Python's ascii(): p\xe4ss\u20ac\U0001f511 */
function codePointForms(text: string): string[] {
  return [/\\/g, /[\\']/g].map((quotes) =>
    text.replaceAll(quotes, String.raw`\$&`).replaceAll(/[^ -~]/gu, (sign) => codePoint(sign)),
  );
}

function codePoint(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x1_00) return python(sign);
  const number = code.toString(16);
  return code < 0x1_00_00 ? `\\u${number.padStart(4, "0")}` : `\\U${number.padStart(8, "0")}`;
}
