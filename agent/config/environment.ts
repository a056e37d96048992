/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. No other file of the agent reads it. */
export function environment(): Environment {
  return { ...process.env };
}
