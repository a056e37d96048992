/** A piece of a file of variables. */
export type HclToken = {
  readonly kind: "comment" | "quoted" | "heredoc" | "word" | "other";
  readonly text: string;
  readonly at: number;
  /** Of a heredoc. */
  readonly lines?: string;
  readonly isFlush?: boolean;
};

const shapes =
  /(?<comment>#[^\n]*|\/\/[^\n]*|\/\*[^]*?(?:\*\/|(?![^])))|(?<quoted>"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"?)|(?<begin><<(?<flush>-?)(?<name>[A-Za-z_][\w-]*)[ \t]*\r?\n)|(?<word>[\w.+-]+)|[^#/"<\w.+-]+|[^]/g;

/** All of its pieces, in order; what is in quotes ends at its line. It takes time by the length of the text alone. */
export function* hclTokens(text: string): Generator<HclToken> {
  const pattern = new RegExp(shapes);
  let endOf: ReturnType<typeof heredocEnds> | undefined;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const { index: at, groups = {} } = found;
    const { comment, quoted, begin, flush, name, word } = groups;
    if (begin !== undefined && name !== undefined) {
      endOf ??= heredocEnds(text);
      const end = endOf(name, pattern.lastIndex);
      if (end !== undefined) {
        const lines = text.slice(pattern.lastIndex, end.from);
        pattern.lastIndex = end.to;
        const isFlush = flush === "-";
        yield { kind: "heredoc", text: text.slice(at, end.to), at, lines, isFlush };
        continue;
      }
      pattern.lastIndex = at + 2;
    }
    const kind =
      (comment !== undefined && "comment") ||
      (quoted !== undefined && "quoted") ||
      (word !== undefined && "word") ||
      "other";
    yield { kind, text: text.slice(at, pattern.lastIndex), at };
  }
}

type End = { readonly from: number; readonly to: number };

/** Tells of lines with nothing but a name which is the next one; it is asked from the begin of the text on. */
function heredocEnds(text: string) {
  const byName = new Map<string, { readonly ends: End[]; next: number }>();
  const lines = /(?<![^\n])[ \t]*([A-Za-z_][\w-]*)[ \t]*(?=\r?(?:\n|(?![^])))/g;
  for (const { 0: line, 1: name = "", index: from } of text.matchAll(lines)) {
    const known = byName.get(name) ?? { ends: [], next: 0 };
    known.ends.push({ from, to: from + line.length });
    byName.set(name, known);
  }
  return (name: string, from: number): End | undefined => {
    const known = byName.get(name);
    if (known === undefined) return undefined;
    while ((known.ends[known.next]?.from ?? from) < from) known.next++;
    return known.ends[known.next];
  };
}
