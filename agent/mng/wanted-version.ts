import type { RunnerSettings } from "../../shared/api/runner-settings.ts";

const plain = (given: unknown): string =>
  typeof given === "string" ? given.trim().replace(/^v/, "") : "";

/** The version that the runner's settings ask for; empty for none. */
export function wantedVersion({ binary_version }: Pick<RunnerSettings, "binary_version">): string {
  return plain(binary_version);
}

/** The version that a plan or a job's metadata asks for; empty for none. */
export function namedVersion({ version }: Readonly<Record<string, unknown>>): string {
  return plain(version);
}
