import { encodingsOf, plainForms } from "./encodings-of.ts";
import { isWorthHiding } from "./is-worth-hiding.ts";

/** Longer secrets are searched in pieces, so that little output is held back. */
const pieceBytes = 16 * 1024;
const leastLineBytes = 6;

/**
 * The needles of a secret: itself, trimmed, with single spaces, and each of its lines, in all encodings. None for a
 * text that is not worth hiding.
 */
export function needlesOf(secret: Uint8Array): Needles {
  const needles = new Set<string>();
  const unescaped = new Set<string>();
  const text = Buffer.from(secret).toString("latin1");
  if (!isWorthHiding(text)) return { needles, unescaped };
  const trimmed = text.trim();
  const wholes = new Set([text, trimmed, ...splitForms(trimmed)]);
  const lines = trimmed.includes("\n") || trimmed.includes("\r") ? linesOf(trimmed) : [];
  for (const part of [...[...wholes].flatMap(pieces), ...lines.flatMap(pieces)]) {
    const bytes = Buffer.from(part, "latin1");
    for (const form of encodingsOf(bytes)) needles.add(form);
    for (const form of plainForms(bytes)) unescaped.add(form);
  }
  return { needles, unescaped };
}

export type Needles = {
  /** Needles for the raw bytes. */
  readonly needles: ReadonlySet<string>;
  /** Those that are also searched in unescaped text. */
  readonly unescaped: ReadonlySet<string>;
};

/** As `echo $SECRET` prints it, and other programs that collapse white space. */
function splitForms(text: string): string[] {
  return [/[ \t\n]+/g, /\s+/g].map((space) => text.replaceAll(space, " ")).filter(isWorthHiding);
}

function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= leastLineBytes && isWorthHiding(line) && !isFrame(line));
}

/** These lines also surround keys and certificates that are not secret. */
const isFrame = (line: string): boolean => /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(line);

function pieces(text: string): string[] {
  if (text.length <= pieceBytes) return [text];
  const count = Math.ceil(text.length / pieceBytes);
  const size = Math.ceil(text.length / count);
  return Array.from({ length: count }, (_, at) => text.slice(at * size, (at + 1) * size));
}
