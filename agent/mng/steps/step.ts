import type { JournalState, Operation, Outcome } from "../journal.ts";
import type { Proof } from "../proof.ts";
import type { Supervision } from "../supervision.ts";

/** What is known of the present step of an operation; a restart begins the step anew, without it. */
export type StepMemory = {
  /** The key of the operation. */
  readonly key: string;
  readonly sinceMs: number;
  /** How often the agent was told to end. */
  nudges: number;
  preparing: { isDone: boolean; exact: string; error: unknown } | undefined;
  /** How often it could not be made ready, and when that is tried again. */
  attempts: number;
  againAtMs: number;
  /** How often in succession the step could not be taken, for a reason that nobody expected. */
  troubles: number;
  proof: Proof | undefined;
  /** How the new agent last ended. */
  exitCode: number | undefined;
  /** Why it could not be started the last time. */
  fault: string | undefined;
};

/** What the steps of an operation share. */
export type StepContext = Supervision & {
  readonly memory: () => StepMemory;
  /** Aborts when this process ends. */
  readonly over: AbortSignal;
  /** Writes the next step to the journal, and takes it at once. */
  readonly move: (
    operation: Operation,
    step: Operation["step"],
    more?: Partial<Operation>,
  ) => Promise<number>;
  readonly end: (
    operation: Operation,
    result: Outcome["result"],
    words: string,
    change?: Partial<JournalState>,
  ) => Promise<number>;
  readonly startAgent: (release: string) => Promise<void>;
  /** Starts the agent when it has ended; returns when to look again, in ms. */
  readonly keepRunning: () => Promise<number>;
};

/** Takes a step, or looks whether it can be taken; returns when to look again, in ms. */
export type Step = (context: StepContext, operation: Operation) => Promise<number>;

/** The memory of a step that begins. */
export function freshMemory(key: string): StepMemory {
  const none = undefined;
  const sinceMs = performance.now();
  const counts = { nudges: 0, attempts: 0, againAtMs: 0, troubles: 0 };
  return { key, sinceMs, ...counts, preparing: none, proof: none, exitCode: none, fault: none };
}

/** Whether the job that asked for it must stop. */
export const isCancelled = ({ signalOf }: StepContext, { key }: Operation): boolean =>
  signalOf(key)?.aborted === true;

/** Whether what failed so often in succession is tried again. */
export const isTriedAgain = (failures: number): boolean => failures < 8;

/** What an error says. */
export const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** A release for people. */
export const nameOf = (release: string): string => release || "the version it came with";

/** How soon a step looks again. */
export const quickMs = 250;
