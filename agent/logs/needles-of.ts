import { encodingsOf, plainForms } from "./encodings-of.ts";
import { isWorthHiding } from "./is-worth-hiding.ts";

/** Longer secrets are looked for piece by piece, so that what is held back stays small. */
const pieceBytes = 16 * 1024;
const leastLineBytes = 6;

/**
 * What to look for so that the secret is nowhere: itself, without the white space around it, with one space for each run of it,
 * and each of its lines, in every encoding. Nothing for what is not worth hiding.
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
  /** To look for in the bytes as they are. */
  readonly needles: ReadonlySet<string>;
  /** Those of them to look for also where escapes were undone. */
  readonly unescaped: ReadonlySet<string>;
};

/** As `echo $SECRET` shows it, and whatever else takes all white space for one. */
function splitForms(text: string): string[] {
  return [/[ \t\n]+/g, /\s+/g].map((space) => text.replaceAll(space, " ")).filter(isWorthHiding);
}

function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= leastLineBytes && isWorthHiding(line) && !isFrame(line));
}

/** Stands around keys and certificates that are no secret, too. */
const isFrame = (line: string): boolean => /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(line);

function pieces(text: string): string[] {
  if (text.length <= pieceBytes) return [text];
  const count = Math.ceil(text.length / pieceBytes);
  const size = Math.ceil(text.length / count);
  return Array.from({ length: count }, (_, at) => text.slice(at * size, (at + 1) * size));
}
