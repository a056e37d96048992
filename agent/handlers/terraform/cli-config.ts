import path from "node:path";

/** Where the host keeps providers that were installed once. */
export function providerStore(dataDir: string): string {
  return path.join(dataDir, "providers");
}

/**
 * terraform's own settings, whatever the host or the job would say: where providers come from. What the host has kept
 * is taken as it is; with a mirror nothing is downloaded.
 */
export function cliConfig(from: {
  readonly store?: string | undefined;
  readonly mirror?: string | undefined;
}): string {
  const kept = from.store === undefined ? "" : folder(from.store);
  const others = from.mirror === undefined ? "  direct {}\n" : folder(from.mirror);
  return `disable_checkpoint = true\nprovider_installation {\n${kept}${others}}\n`;
}

const folder = (place: string): string =>
  `  filesystem_mirror {\n    path = ${quoted(place)}\n  }\n`;

const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll("${", "$${").replaceAll("%{", "%%{");
