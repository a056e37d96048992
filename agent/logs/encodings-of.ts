import { isUtf8 } from "node:buffer";
import { numberForms } from "./number-forms.ts";
import { quotedForms } from "./quoted-forms.ts";

/** The shortest text that is searched; shorter ones would be found everywhere. */
export const leastNeedleBytes = 4;

/**
 * All common encodings of a secret, except escapes, which are undone before the search: plain, base64 (at each offset;
 * also of itself, of UTF-16 and of JSON), as numbers, quoted for shells. As latin1 text of bytes.
 */
export function encodingsOf(secret: Buffer): Set<string> {
  return long([...plainForms(secret), ...numberForms(secret), ...quotedForms(secret)]);
}

/** The encodings that may be escaped in turn: in JSON, in a URL, in HTML, and so on. */
export function plainForms(secret: Buffer): Set<string> {
  const text = secret.toString("latin1");
  const base64 = base64Forms(secret);
  const wide = isUtf8(secret) ? wideForms(secret.toString("utf8")) : [];
  const escaped = isUtf8(secret) ? jsonEscapes(secret.toString("utf8")) : [];
  return long([
    text,
    text.replaceAll(" ", "+"), // as in form data
    ...base64,
    ...[...new Set(base64.map(unpadded))].flatMap((form) => base64Forms(Buffer.from(form))),
    ...wide.map((bytes) => bytes.toString("latin1")),
    ...wide.flatMap((bytes) => base64Forms(bytes)),
    ...escaped.flatMap((form) => base64Forms(Buffer.from(form))),
  ]);
}

const long = (forms: Iterable<string>): Set<string> =>
  new Set(Array.from(forms).filter(({ length }) => length >= leastNeedleBytes));

const unpadded = (base64: string): string => base64.replace(/=+$/, "");

/** Three bytes make four characters, so the base64 of a secret depends on its offset: one form for each. */
export function base64Forms(secret: Buffer): string[] {
  const forms: string[] = [];
  for (const shift of [0, 1, 2]) {
    const bytes = Buffer.concat([Buffer.alloc(shift), secret]);
    // Characters that also depend on a neighbour of the secret are left out.
    const own = [Math.ceil((8 * shift) / 6), Math.floor((8 * bytes.length) / 6)] as const;
    forms.push(bytes.toString("base64").slice(...own), bytes.toString("base64url").slice(...own));
  }
  const whole = secret.toString("base64");
  forms.push(whole, unpadded(whole), secret.toString("base64url"));
  return forms;
}

/** UTF-16, little endian as on Windows, and big endian. */
function wideForms(text: string): Buffer[] {
  const little = Buffer.from(text, "utf16le");
  return [little, Buffer.from(little).swap16()];
}

/** The JSON forms of the secret, where they differ from itself. */
function jsonEscapes(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  // Go escapes characters of HTML, PHP the slash, Python and Ruby everything that is not ASCII.
  const forms = [plain, plain.replaceAll(/[<>&]/g, unicodeEscape), plain.replaceAll("/", "\\/")];
  const ascii = plain.replaceAll(/[\u007f-\uffff]/g, unicodeEscape);
  const upper = ascii.replaceAll(/\\u[\da-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  return [...forms, ascii, upper].filter((form) => form !== text);
}

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
