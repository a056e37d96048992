import type { CloudEnv } from "../../credentials/ask-cloud.ts";

/** A value as a store has it. */
export type StoredValue = {
  readonly value: Buffer;
  /** Names the value: another value has another. */
  readonly version: string;
};

/** One secret in its store. Both throw SecretFault or CredentialFault. */
export type SecretStore = {
  /** The value; undefined where there is none. */
  readonly read: () => Promise<StoredValue | undefined>;
  /** Makes this its value; undefined where somebody else has made one meanwhile, which counts. */
  readonly fill: (text: string) => Promise<StoredValue | undefined>;
};

/** Where requests to stores come from and what ends them. */
export type StoreCaller = { readonly env: CloudEnv; readonly signal: AbortSignal };
