import { isUtf8 } from "node:buffer";
import { quotedForms } from "./quoted-forms.ts";

/** The shortest text that is looked for: what is shorter would be found everywhere. */
export const leastNeedleBytes = 4;

/**
 * Every way in which programs commonly print the secret: plain, base64 (whatever stands before it), hexadecimal,
 * percent-encoded, escaped for JSON (once and twice), quoted for shells; and what they make of one another: base64 of
 * what was escaped, either percent-encoded. Bytes, as latin1 text.
 */
export function encodingsOf(secret: Buffer): Set<string> {
  const found = new Set([secret.toString("latin1")]);
  const add = (forms: Iterable<string>): void => {
    for (const form of forms) found.add(form);
  };
  if (isUtf8(secret)) add(jsonEscapes(secret.toString("utf8")).map(latin1Of));
  const once = [...found];
  for (const form of once) {
    const base64 = base64Forms(Buffer.from(form, "latin1"));
    add(base64);
    add([form, ...base64].flatMap(percentForms));
  }
  add(hexForms(secret));
  if (isUtf8(secret)) {
    const text = secret.toString("utf8");
    const twice = jsonEscapes(text).flatMap((form) => (form === text ? [] : jsonEscapes(form)));
    add(twice.map(latin1Of));
  }
  add(quotedForms(secret));
  for (const form of found) if (form.length < leastNeedleBytes) found.delete(form);
  return found;
}

const latin1Of = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

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
  return forms;
}

const hexForms = (secret: Buffer): string[] => {
  const hex = secret.toString("hex");
  return [hex, hex.toUpperCase()];
};

/** What the encoders of common languages do not leave as it is: JavaScript, RFC 3986, Python, forms, Go. */
const escaped = [/[^\w.!~*'()-]/g, /[^\w.~-]/g, /[^\w.~/-]/g, /[^\w.*-]/g, /[^\w.~$&+=:@-]/g];

function percentForms(latin1: string): string[] {
  return escaped.flatMap((characters) => {
    const lower = latin1.replaceAll(
      characters,
      (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
    const upper = lower.replaceAll(/%../g, (code) => code.toUpperCase());
    return [lower, upper, lower.replaceAll("%20", "+"), upper.replaceAll("%20", "+")];
  });
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
