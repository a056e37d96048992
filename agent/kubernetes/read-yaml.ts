import type { Document, LineCounter } from "yaml";

/** One document of a text, with the positions of its parts. */
export type YamlDocument = {
  /** Counts from 1. */
  readonly number: number;
  readonly line: number;
  readonly value: unknown;
};

/** The text is not usable YAML. The message names the document and the line and quotes nothing. */
export class YamlFault extends Error {}

/** The most uses of anchors, nested uses included: more are taken for a YAML bomb. */
const mostAliases = 1_000;
/** Tags of YAML 1.1 for dates, binaries and 12:30:45, which Kubernetes tools do not use. */
const strange = ["timestamp", "binary", "omap", "pairs", "set"];

/**
 * Parses the documents of a text as Kubernetes tools do: YAML 1.1, in which 0644 is octal. Empty documents are left
 * out. Throws YamlFault.
 */
export async function readYaml(text: string): Promise<YamlDocument[]> {
  const { documents, lines } = await parseYaml(text);
  return documents.flatMap((document, at) => valueOf(document, { number: at + 1, lines }));
}

type Parsed = { readonly documents: readonly Document.Parsed[]; readonly lines: LineCounter };

/** The same, as the library has them, empty ones too. Throws YamlFault. */
export async function parseYaml(text: string): Promise<Parsed> {
  // Loaded only when needed: it takes a tenth of the agent's memory.
  const { LineCounter, parseAllDocuments } = await import("yaml");
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    version: "1.1",
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter: lines,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag !== "string" && tag.format !== "TIME" && isUsual(tag.tag)),
  });
  const documents = Array.isArray(parsed) ? parsed : [];
  for (const [at, { errors }] of documents.entries()) {
    const [error] = errors;
    if (error === undefined) continue;
    const { line } = lines.linePos(error.pos[0]);
    const words = wordsOf(error.code) ?? "it is not YAML";
    throw new YamlFault(`document ${at + 1}, line ${line}: ${words}`);
  }
  return { documents, lines };
}

const isUsual = (tag: string): boolean => !strange.includes(tag.replace(/^.*:/, ""));

type Where = { readonly number: number; readonly lines: LineCounter };

function valueOf(document: Document.Parsed, { number, lines }: Where): YamlDocument[] {
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const line = lineAt(document.contents?.range?.[0] ?? document.range[0]);
  try {
    const value: unknown = document.toJS({ maxAliasCount: mostAliases });
    return value == null ? [] : [{ number, line, value }];
  } catch {
    throw new YamlFault(
      `document ${number}, line ${line}: its aliases expand to too much: write the values themselves`,
    );
  }
}

/** The library's messages quote the text, which may be secret. */
function wordsOf(code: string): string | undefined {
  const known: Readonly<Record<string, string>> = {
    DUPLICATE_KEY: "an object has a duplicate key",
    BAD_INDENT: "the indentation matches no line above",
    TAB_AS_INDENT: "a tab is used where YAML needs spaces",
    MULTILINE_IMPLICIT_KEY: "a key spans several lines, or there is an extra colon",
    MISSING_CHAR: "a quote, bracket or comma is missing",
    BAD_ALIAS: "an alias names no anchor above it",
    BLOCK_AS_IMPLICIT_KEY: "a list or an object follows where a value was started",
    BAD_PROP_ORDER: "an anchor or a tag is in the wrong place",
    UNEXPECTED_TOKEN: "something is in the wrong place",
    TAG_RESOLVE_FAILED: "a tag is unknown, or its value does not fit",
  };
  return known[code];
}
