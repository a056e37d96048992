import type { RunnerSettings } from "../../shared/api/runner-settings.ts";

/** What runs the install agent on this host now. */
export type Seen = {
  readonly isRunning: boolean;
  /** Which start of it this is: another start has another key. */
  readonly key?: string | undefined;
  /** The release that runs; undefined where that cannot be told. */
  readonly release?: string | undefined;
  /** How it ended, if that is known. */
  readonly exitCode?: number | undefined;
};

/**
 * finish: end when what runs has ended, however long it takes; stop: as SIGTERM, which the agent counts; kill: end now.
 */
export type Nudge = "finish" | "stop" | "kill";

export type Preparation = {
  readonly settings: RunnerSettings | undefined;
  readonly signal: AbortSignal;
  readonly say: (words: string) => void;
};

/**
 * A way to run the install agent. A release is a version (child, systemd) or an image (docker); the empty release is the
 * one that is there without an update. Nothing here remembers anything that a restart of this process must find again.
 */
export type Driver = {
  readonly name: "child" | "systemd" | "docker";
  /** The release that the runner's settings ask for; empty for none. */
  readonly wanted: (settings: RunnerSettings) => string;
  /** The release that a plan or a job's metadata asks for; empty for none. */
  readonly named: (asked: Readonly<Record<string, unknown>>) => string;
  /** The version that a release must report; undefined where the release does not say it. */
  readonly versionOf: (release: string) => string | undefined;
  /** Fetches and verifies a release; resolves with what is to be started: the same, or exactly what was verified. Throws Refusal when it may not or cannot be used; other errors may pass. */
  readonly prepare: (release: string, how: Preparation) => Promise<string>;
  readonly look: () => Promise<Seen>;
  /** Starts a release; nothing of the agent may run. */
  readonly start: (release: string) => Promise<void>;
  readonly nudge: (how: Nudge) => Promise<void>;
  /** The process of the runner that the agent last registered as. */
  readonly processId: () => Promise<string | undefined>;
};

/** A release, a program or an order that this host does not accept, today or tomorrow; the message says why. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
