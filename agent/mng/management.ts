import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import type { Operation, Outcome } from "./journal.ts";

/** What a job asks of the management process. */
export type Ask = {
  /** The execution that asks; the same key is the same operation, also after a restart. */
  readonly key: string;
  readonly kind: Operation["kind"];
  /** Of an update: what the plan and the job's metadata name, which the runner's settings must not contradict. */
  readonly named?: Readonly<Record<string, unknown>>;
  /** How long running jobs may go on. */
  readonly drainMs: number;
  readonly say: (words: string) => void;
  /** Aborts when the job must stop; the operation is given up while that is possible. */
  readonly signal: AbortSignal;
};

/** What the broker says of a process: whether it has sent a heartbeat, and its version. */
export type SeenProcess = { readonly hasBeaten: boolean; readonly version: string };

/** What became of the tokens of this host. */
export type FetchedTokens = {
  readonly own: "rotated";
  /** shared: it has the same as the management process; none: no file was configured, or it enrols by itself. */
  readonly agent: "rotated" | "shared" | "none";
  readonly expiresAt: string | null;
};

/** What the management process needs of a connected agent. */
export type BrokerLink = {
  readonly settings: () => RunnerSettings;
  /** Undefined when the broker does not answer. */
  readonly lookAtProcess: (processId: string) => Promise<SeenProcess | undefined>;
  /** Rotates the tokens of this host. Throws Refusal when that is not possible. */
  readonly fetchTokens: () => Promise<FetchedTokens>;
  /** Gives an install agent without a token that the broker accepts this process's; true when it did. */
  readonly provideToken: (signal: AbortSignal) => Promise<boolean>;
  /** Gives the agent the next token of this process, before that is used, where it has the present one. */
  readonly shareToken: (next: string) => Promise<void>;
  /** Calls the listener whenever this process uses another token. */
  readonly onTokenChange: (listener: () => void) => void;
  /** Whether the broker has answered lately. */
  readonly isAnswering: () => boolean;
  /** Whether the broker has all results. */
  readonly isDelivered: () => boolean;
};

/** Keeps the install agent of this host running, and changes it when it is asked to. */
export type Management = {
  /** Carries it out; resolves with how it ended. Never rejects. */
  readonly request: (ask: Ask) => Promise<Outcome>;
  /** Rotates the tokens of this host. Throws Refusal when that is not possible. */
  readonly fetchTokens: () => Promise<FetchedTokens>;
  /** To be called before this process uses its next token: the install agent may have the same. Never rejects. */
  readonly shareToken: (next: string) => Promise<void>;
  /** When the host is powered off on schedule; undefined for never. */
  readonly hostRestartAtMs: () => number | undefined;
  readonly connect: (link: BrokerLink) => void;
  /** Looks after the agent no longer; the agent goes on. */
  readonly close: () => Promise<void>;
};
