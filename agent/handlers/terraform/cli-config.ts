import path from "node:path";

/** The directory in which the host keeps installed providers. */
export function providerStore(dataDir: string): string {
  return path.join(dataDir, "providers");
}

/**
 * Terraform's CLI configuration, in place of the host's or the job's: where providers come from. Providers that the
 * host keeps are used as they are; with a mirror nothing is downloaded.
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
