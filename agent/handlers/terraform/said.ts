/** An error or warning of terraform. */
export type Diagnostic = {
  readonly severity: "error" | "warning";
  readonly summary: string;
  readonly detail: string;
  /** The address of its resource. */
  readonly address?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
};

/** How many resources a plan changes. */
export type Counts = {
  readonly add: number;
  readonly change: number;
  readonly remove: number;
  readonly import: number;
};

/** The output of one terraform command that decides its end; plain JSON without secrets. */
export type Said = {
  /** The first errors. */
  readonly diagnostics: Diagnostic[];
  /** The counts of the plan, or of what was applied. */
  counts?: Counts;
  /** The numbers of resources whose change began, was made, and failed. */
  begun: number;
  made: number;
  failed: number;
  /** The last lines for people, for example of a crash. */
  readonly words: string[];
};

const mostDiagnostics = 10;
const mostSummary = 300;
const mostDetail = 1_500;
const mostWords = 12;

/** The initial value, or what an earlier process of the agent stored. */
export function openSaid(kept: string | undefined): Said {
  if (kept !== undefined && kept !== "") return JSON.parse(kept) as Said; // written by this program
  return { diagnostics: [], begun: 0, made: 0, failed: 0, words: [] };
}

/** Keeps an error, truncated, if there is room. */
export function keepDiagnostic({ diagnostics }: Said, diagnostic: Diagnostic): void {
  if (diagnostic.severity !== "error" || diagnostics.length >= mostDiagnostics) return;
  const { summary, detail } = diagnostic;
  diagnostics.push({
    ...diagnostic,
    summary: summary.slice(0, mostSummary),
    detail: detail.slice(0, mostDetail),
  });
}

/** Keeps the last few lines for people. */
export function keepWords({ words }: Said, line: string): void {
  if (line.trim() === "") return;
  words.push(line.slice(0, mostSummary));
  if (words.length > mostWords) words.shift();
}
