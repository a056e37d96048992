/** What a child's environment is made of. */
export type EnvSources = {
  /** The agent's own environment, of which only an allow-list passes. */
  readonly agent: Readonly<Record<string, string | undefined>>;
  /** What the plan asks for. */
  readonly plan: Readonly<Record<string, string>>;
  readonly home: string;
  readonly tmp: string;
};

/** A child's environment, and the plan's names that were left out, each with the reason in words. */
export function allowedEnv(sources: EnvSources): {
  env: Record<string, string>;
  refused: { name: string; words: string }[];
} {
  throw new Error(`not yet: ${sources.home}`);
}
