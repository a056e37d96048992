/** What terraform complains of. */
export type Diagnostic = {
  readonly severity: "error" | "warning";
  readonly summary: string;
  readonly detail: string;
  /** The resource that it is about. */
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

/** What one run of terraform has said, as far as its end depends on it; plain JSON without secrets. */
export type Said = {
  /** Errors first come, first kept. */
  readonly diagnostics: Diagnostic[];
  /** Of the plan, or of what was applied. */
  counts?: Counts;
  /** Resources whose change began, was made, and failed. */
  begun: number;
  made: number;
  failed: number;
  /** The last lines that were for people: of a crash. */
  readonly words: string[];
};

const mostDiagnostics = 10;
const mostSummary = 300;
const mostDetail = 1_500;
const mostWords = 12;

/** What has been said before anything was; or what a former process of the agent kept of it. */
export function openSaid(kept: string | undefined): Said {
  if (kept !== undefined && kept !== "") return JSON.parse(kept) as Said; // written by this program
  return { diagnostics: [], begun: 0, made: 0, failed: 0, words: [] };
}

/** Keeps a complaint, cut, if it is an error and there is room. */
export function keepDiagnostic({ diagnostics }: Said, diagnostic: Diagnostic): void {
  if (diagnostic.severity !== "error" || diagnostics.length >= mostDiagnostics) return;
  const { summary, detail } = diagnostic;
  diagnostics.push({
    ...diagnostic,
    summary: summary.slice(0, mostSummary),
    detail: detail.slice(0, mostDetail),
  });
}

/** Keeps a line for people, the last few of them. */
export function keepWords({ words }: Said, line: string): void {
  if (line.trim() === "") return;
  words.push(line.slice(0, mostSummary));
  if (words.length > mostWords) words.shift();
}
