import type { AgentConfig } from "../config/read-config.ts";

/** The result of a check: fine, a warning, a failure, or not checked. */
export type Verdict = "ok" | "warning" | "failed" | "left-out";

export type Finding = {
  readonly check: string;
  readonly verdict: Verdict;
  /** The finding, in a sentence. */
  readonly words: string;
  /** What to do about it. */
  readonly advice?: string;
};

/** What checks are given. */
export type DoctorContext = {
  readonly config: AgentConfig;
  readonly broker: URL;
  /** The proxy for requests to the broker. */
  readonly proxy: URL | undefined;
  /** The token that the agent would use; undefined if there is none. */
  readonly token: string | undefined;
  /** The timeout for requests that should be answered at once. */
  readonly patienceMs: number;
};

/** The result of a check without its name. */
export type Found = Omit<Finding, "check">;

/** Fine. */
export const ok = (words: string): Found => ({ verdict: "ok", words });
/** A warning: it works, but should be changed. */
export const warning = (words: string, advice?: string): Found => found("warning", words, advice);
/** The agent cannot work like this. */
export const failed = (words: string, advice?: string): Found => found("failed", words, advice);
/** Not checked: it could not be tried, or does not apply. */
export const leftOut = (words: string): Found => ({ verdict: "left-out", words });

function found(verdict: Verdict, words: string, advice: string | undefined): Found {
  return { verdict, words, ...(advice !== undefined && { advice }) };
}
