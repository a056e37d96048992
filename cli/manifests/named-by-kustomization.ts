import { parse, parseAllDocuments } from "yaml";

/** What a kustomization names, as it is written there. */
export type KustomizationNames = {
  readonly files: readonly string[];
  /** Each is a file, or a folder with a kustomization of its own. */
  readonly resources: readonly string[];
  /** Files that say what a generator or transformer does, and so may name more files. */
  readonly plugins: readonly string[];
  /** The folder that charts are in, where it has any rendered. */
  readonly chartHome: string | undefined;
};

/** Reads a kustomization's text; labels, literals, values and other words of it name nothing. Empty where it is not YAML. */
export function namedByKustomization(text: string): KustomizationNames {
  const whole = readYaml(text);
  const of = (...members: readonly string[]): unknown[] =>
    members.flatMap((member) => listed(whole[member]));
  const configured = textsIn(of("generators", "transformers", "validators"));
  const hasCharts = of("helmCharts", "helmChartInflationGenerator").length > 0;
  return {
    files: [
      ...textsIn(of("crds", "configurations", "patchesStrategicMerge")).filter(isName),
      ...namedAt(of("patches", "patchesJson6902", "replacements", "openapi"), ["path"]),
      ...generated(of("configMapGenerator", "secretGenerator")),
      ...namedAt(of("helmCharts"), ["valuesFile", "additionalValuesFiles"]),
      ...namedAt(of("helmChartInflationGenerator"), ["values"]),
      ...configured.filter((one) => !isName(one)).flatMap(namedByPlugin),
    ],
    resources: textsIn(of("resources", "bases", "components")).filter(isName),
    plugins: configured.filter(isName),
    chartHome: hasCharts ? (namedAt(of("helmGlobals"), ["chartHome"])[0] ?? "charts") : undefined,
  };
}

/** The files that the configuration of generators and transformers names, in whatever member. */
export function namedByPlugin(text: string): string[] {
  try {
    const documents: unknown[] = parseAllDocuments(text, { logLevel: "error" })
      .filter((document) => document.errors.length === 0)
      .map((document) => document.toJS() as unknown);
    return documents.flatMap(namedInside);
  } catch {
    return [];
  }
}

type Members = Readonly<Record<string, unknown>>;

function readYaml(text: string): Members {
  try {
    const value: unknown = parse(text, { logLevel: "error" });
    return isMembers(value) ? value : {};
  } catch {
    return {}; // the runner's kustomize says what is wrong with it, and where
  }
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function listed(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

const textsIn = (values: readonly unknown[]): string[] =>
  values.filter((value) => typeof value === "string");

/** More than a line is the thing itself. */
const isName = (text: string): boolean => text !== "" && !text.includes("\n");

function namedAt(values: readonly unknown[], members: readonly string[]): string[] {
  const found = values
    .filter(isMembers)
    .flatMap((one) => members.flatMap((member) => listed(one[member])));
  return textsIn(found).filter(isName);
}

/** Files are also named as `key=file`. */
const generated = (values: readonly unknown[]): string[] => [
  ...namedAt(values, ["files"]).map((name) => name.replace(/^[^=]*=/, "")),
  ...namedAt(values, ["env", "envs"]),
];

function namedInside(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namedInside);
  if (!isMembers(value)) return [];
  const own = namedAt([value], ["path", "valuesFile", "additionalValuesFiles"]);
  return [...own, ...generated([value]), ...Object.values(value).flatMap(namedInside)];
}
