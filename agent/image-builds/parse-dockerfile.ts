/** One instruction of a Dockerfile. */
export type Instruction = {
  /** In capitals: `FROM`. */
  readonly word: string;
  /** What follows it, its lines joined. */
  readonly rest: string;
  /** Its first line and the one after its last, from 0 on. */
  readonly from: number;
  readonly to: number;
};

export type ParsedDockerfile = {
  readonly lines: readonly string[];
  readonly instructions: readonly Instruction[];
  /** What makes the next character plain, and joins lines at their end. */
  readonly escape: "\\" | "`";
};

const directive = /^\s*#\s*([a-z]+)\s*=\s*(\S+)\s*$/i;
const heredoc = /<<-?(["']?)([A-Za-z_]\w*)\1/g;
const withHeredocs: ReadonlySet<string> = new Set(["RUN", "COPY", "ADD"]);

/** Splits a Dockerfile into its instructions; whether they make sense is another's business. */
export function parseDockerfile(text: string): ParsedDockerfile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const escape = escapeOf(lines);
  const instructions: Instruction[] = [];
  for (let at = 0; at < lines.length;) {
    if (isAside(lines[at] ?? "")) {
      at += 1;
      continue;
    }
    const { joined, to } = joinLines(lines, at, escape);
    const [, word = "", rest = ""] = /^\s*(\S+)\s*([^]*)$/.exec(joined) ?? [];
    const upper = word.toUpperCase();
    const end = withHeredocs.has(upper) ? endOfHeredocs(lines, to, rest) : to;
    instructions.push({ word: upper, rest: rest.trim(), from: at, to: end });
    at = end;
  }
  return { lines, instructions, escape };
}

const isAside = (line: string): boolean => /^\s*(?:#|$)/.test(line);

/** Directives stand before all else. */
function escapeOf(lines: readonly string[]): "\\" | "`" {
  for (const line of lines) {
    const [, name = "", value] = directive.exec(line) ?? [];
    if (name === "") return "\\";
    if (name.toLowerCase() === "escape") return value === "`" ? "`" : "\\";
  }
  return "\\";
}

type Joined = { readonly joined: string; readonly to: number };

/** Comments and empty lines within an instruction do not count. */
function joinLines(lines: readonly string[], from: number, escape: string): Joined {
  let joined = "";
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (at > from && isAside(line)) continue;
    const bare = line.trimEnd();
    if (!bare.endsWith(escape)) return { joined: joined + line, to: at + 1 };
    joined += bare.slice(0, -1);
  }
  return { joined, to: at };
}

function endOfHeredocs(lines: readonly string[], from: number, rest: string): number {
  let at = from;
  for (const [, , name = ""] of rest.matchAll(heredoc)) {
    const end = lines.findIndex((line, index) => index >= at && line.trim() === name);
    if (end < 0) return at;
    at = end + 1;
  }
  return at;
}
