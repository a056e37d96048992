import type { AgentConfig } from "../config/read-config.ts";

/** What a check found: all is well, it deserves a look, it keeps the agent from working, or it could not be told. */
export type Verdict = "ok" | "warning" | "failed" | "left-out";

export type Finding = {
  readonly check: string;
  readonly verdict: Verdict;
  /** What is, in a sentence. */
  readonly words: string;
  /** What to do about it. */
  readonly advice?: string;
};

/** What every check may ask. */
export type DoctorContext = {
  readonly config: AgentConfig;
  readonly broker: URL;
  /** The proxy that requests to the broker go by. */
  readonly proxy: URL | undefined;
  /** The token to be; undefined when there is none. */
  readonly token: string | undefined;
  /** How long to wait for what answers at once. */
  readonly patienceMs: number;
};

/** What a check says besides its name. */
export type Found = Omit<Finding, "check">;

/** All is well. */
export const ok = (words: string): Found => ({ verdict: "ok", words });
/** It works, but deserves a look. */
export const warning = (words: string, advice?: string): Found => found("warning", words, advice);
/** The agent cannot work like this. */
export const failed = (words: string, advice?: string): Found => found("failed", words, advice);
/** It could not be tried, or there is nothing to try. */
export const leftOut = (words: string): Found => ({ verdict: "left-out", words });

function found(verdict: Verdict, words: string, advice: string | undefined): Found {
  return { verdict, words, ...(advice !== undefined && { advice }) };
}
