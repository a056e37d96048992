import { isUtf8 } from "node:buffer";

/** The shortest text that is looked for: what is shorter would be found everywhere. */
export const leastNeedleBytes = 4;

/**
 * Every way in which programs commonly print the secret: plain, base64 (whatever stands before it, wrapped by lines or
 * not), hexadecimal, percent-encoded, escaped for JSON (once and twice) and for shells. Bytes, as latin1 text.
 */
export function encodingsOf(secret: Buffer): Set<string> {
  const found = new Set([secret.toString("latin1")]);
  for (const text of [...base64Forms(secret), ...hexForms(secret), ...percentForms(secret)]) {
    found.add(text);
  }
  if (isUtf8(secret)) {
    const text = secret.toString("utf8");
    for (const form of [...jsonForms(text), ...shellForms(text)]) {
      found.add(Buffer.from(form, "utf8").toString("latin1"));
    }
  }
  for (const form of found) if (form.length < leastNeedleBytes) found.delete(form);
  return found;
}

/** Three bytes make four characters, so a secret looks different by what stands before it: once for each shift. */
function base64Forms(secret: Buffer): string[] {
  const forms: string[] = [];
  for (const shift of [0, 1, 2]) {
    const bytes = Buffer.concat([Buffer.alloc(shift), secret]);
    // Characters that also depend on a neighbour of the secret are left out.
    const own = [Math.ceil((8 * shift) / 6), Math.floor((8 * bytes.length) / 6)] as const;
    forms.push(bytes.toString("base64").slice(...own), bytes.toString("base64url").slice(...own));
  }
  const whole = secret.toString("base64");
  forms.push(whole, whole.replace(/=+$/, ""), secret.toString("base64url"));
  for (const width of [64, 76]) {
    if (whole.length > width) forms.push(...(whole.match(new RegExp(`.{1,${width}}`, "g")) ?? []));
  }
  return forms;
}

const hexForms = (secret: Buffer): string[] => {
  const hex = secret.toString("hex");
  return [hex, hex.toUpperCase()];
};

/** What the encoders of common languages leave as it is: JavaScript, RFC 3986, Python, forms, Go. */
const kept = [/[\w.!~*'()-]/, /[\w.~-]/, /[\w.~/-]/, /[\w.*-]/, /[\w.~$&+=:@-]/];

function percentForms(secret: Buffer): string[] {
  const latin1 = secret.toString("latin1");
  return kept.flatMap((isKept) => {
    const encode = (character: string): string =>
      isKept.test(character)
        ? character
        : `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
    const lower = Array.from(latin1, encode).join("");
    const upper = lower.replaceAll(/%../g, (code) => code.toUpperCase());
    return [lower, upper, lower.replaceAll("%20", "+"), upper.replaceAll("%20", "+")];
  });
}

function jsonForms(text: string): string[] {
  const once = jsonEscapes(text);
  return [...once, ...once.flatMap((form) => (form === text ? [] : jsonEscapes(form)))];
}

function jsonEscapes(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  // Go escapes what HTML would mind, PHP the slash, Python and Ruby whatever is not ASCII.
  const forms = [plain, plain.replaceAll(/[<>&]/g, unicodeEscape), plain.replaceAll("/", "\\/")];
  const ascii = plain.replaceAll(/[\u007f-\uffff]/g, unicodeEscape);
  const upper = ascii.replaceAll(/\\u[\da-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  return [...forms, ascii, upper];
}

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

function shellForms(text: string): string[] {
  const ansi = text
    .replaceAll(/[\\']/g, String.raw`\$&`)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\r", String.raw`\r`)
    .replaceAll("\t", String.raw`\t`);
  return [
    text.replaceAll("'", String.raw`'\''`),
    text.replaceAll("'", `'"'"'`),
    text.replaceAll(/[\\"$`]/g, String.raw`\$&`),
    text.replaceAll(/[\\"$`!]/g, String.raw`\$&`),
    text.replaceAll(/[^\w@%+=:,./\n\u0080-\uffff-]/g, String.raw`\$&`),
    ansi,
  ];
}
