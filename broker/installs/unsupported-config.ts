import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { problem } from "../../shared/problem.ts";

/** What of the config only later versions provision, in words; undefined where there is none of it. */
export function unsupportedWords(config: AppConfigDocument): string | undefined {
  const has = [
    ...(config.sandbox === undefined ? [] : ["a sandbox"]),
    ...((config.components ?? []).length === 0 ? [] : ["components"]),
    ...(config.stack === undefined ? [] : ["a stack"]),
  ];
  if (has.length === 0) return undefined;
  return `The app's config has ${has.join(", ")}. This version provisions installs of apps without a sandbox, a stack and components.`;
}

/** Refuses with 409 to bring an install to what would not be provisioned whole. */
export function requireSupported(config: AppConfigDocument | undefined): void {
  const words = config && unsupportedWords(config);
  if (words !== undefined) throw problem.conflict("config_unsupported", words);
}
