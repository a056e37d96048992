import path from "node:path";

/** The directory in which the host keeps installed providers. */
export function providerStore(dataDir: string): string {
  return path.join(dataDir, "providers");
}

type ProviderPlaces = {
  /** What the configuration's artifact brings along. */
  readonly vendored?: string | undefined;
  readonly store?: string | undefined;
  readonly mirror?: string | undefined;
};

/**
 * Terraform's CLI configuration, in place of the host's or the job's: where providers come from. Providers that the
 * artifact has or the host keeps are used as they are; with a mirror nothing is downloaded.
 */
export function cliConfig({ vendored, store, mirror }: ProviderPlaces): string {
  const known = [vendored, store].filter((place) => place !== undefined).map(folder);
  const others = mirror === undefined ? "  direct {}\n" : folder(mirror);
  return installation([...known, others]);
}

/** The same for a configuration that has to do with the providers of one folder. */
export function onlyProvidersOf(place: string): string {
  return installation([folder(place)]);
}

const installation = (places: readonly string[]): string =>
  `disable_checkpoint = true\nprovider_installation {\n${places.join("")}}\n`;

const folder = (place: string): string =>
  `  filesystem_mirror {\n    path = ${quoted(place)}\n  }\n`;

const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll("${", "$${").replaceAll("%{", "%%{");
