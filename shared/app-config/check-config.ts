import type { Brands } from "../brands.ts";
import { canonicalJson, checksumOf } from "./canonical-json.ts";
import { checkShapes } from "./check-shapes.ts";
import { warnOfCommand } from "./commands/warn-of-command.ts";
import { type ConfigEntries, readDocumentEntries, readFolderEntries } from "./config-entries.ts";
import {
  type ConfigFault,
  type ConfigFaultCode,
  configLimits,
  type ConfigNoticeCode,
  type ConfigWarningCode,
  type FoundFault,
} from "./config-fault.ts";
import type { AppConfigDocument } from "./config-files.ts";
import type { ConfigFolder, ReadSources } from "./config-folder.ts";
import { type ConfigGraph, graphOf } from "./config-graph.ts";
import { type Included, includeTexts } from "./include-texts.ts";
import { inputsOfSources } from "./inputs-of-sources.ts";
import { noticesOfConfig } from "./notices-of-config.ts";
import { inOneOrder } from "./one-order.ts";
import { type PackedSource, packSources } from "./pack-sources.ts";
import { placeFaults } from "./place-faults.ts";
import { makeRawConfig, type RawConfig } from "./raw-config.ts";
import { readReferences } from "./read-references.ts";
import { choices } from "./rules/choices.ts";
import { fittingValues } from "./rules/fitting-values.ts";
import { knownNames } from "./rules/known-names.ts";
import { makeMeant } from "./rules/make-meant.ts";
import { oneCloud } from "./rules/one-cloud.ts";
import { isTable, type Rule, type Tell } from "./rules/rule.ts";
import { uniqueNames } from "./rules/unique-names.ts";
import { wholePolicies } from "./rules/whole-policies.ts";
import { wholeTriggers } from "./rules/whole-triggers.ts";
import { type Warn, warnOfConfig } from "./warn-of-config.ts";
import { warnOfRoots } from "./warn-of-roots.ts";

/** A config that was checked: with faults, or as the document that is stored. */
export type CheckedConfig = {
  /** In the order of files and places; at most 500 of them. */
  readonly errors: readonly ConfigFault<ConfigFaultCode>[];
  /** How many there were. */
  readonly errorCount: number;
  readonly warnings: readonly ConfigFault<ConfigWarningCode>[];
  /** On what of it this version does not act: no fault, however strict the check is. */
  readonly notices: readonly ConfigFault<ConfigNoticeCode>[];
  /** The files that count: TOML files, and those whose texts they name. */
  readonly files: readonly string[];
  /** What components are built from, where that is a folder of the config's directory. */
  readonly sources: readonly PackedSource[];
  /** Undefined where there are errors. */
  readonly config: ValidConfig | undefined;
};

/** A config without faults. */
export type ValidConfig = {
  readonly document: AppConfigDocument;
  /** The document's canonical JSON: the same for a directory and for its JSON document. */
  readonly text: string;
  readonly checksum: string;
  readonly graph: ConfigGraph;
};

const rules: readonly Rule[] = [
  uniqueNames,
  knownNames,
  choices,
  wholeTriggers,
  wholePolicies,
  fittingValues,
  oneCloud,
];

export type CheckOptions = {
  /** The app's name, where the config says none. */
  readonly appName?: string | undefined;
  /** What nothing knows is a fault. */
  readonly isStrict?: boolean;
  /** Other names of svc. */
  readonly brands?: Brands;
};

/** Checks a directory, and tells everything that is wrong in it at once. */
export async function checkConfigFolder(
  folder: ConfigFolder,
  options: CheckOptions = {},
): Promise<CheckedConfig> {
  return await check(await readFolderEntries(folder), { folder, ...folder }, options);
}

/** Checks the JSON document of a config; the folders that its components are built from are read by `beside`. */
export async function checkConfigDocument(
  document: unknown,
  options: CheckOptions = {},
  beside: Beside = {},
): Promise<CheckedConfig> {
  const { readSources } = beside;
  return await check(
    await readDocumentEntries(document),
    { folder: undefined, readSources },
    options,
  );
}

type Beside = { readonly readSources?: ReadSources | undefined };

async function check(
  entries: ConfigEntries,
  { folder, readSources }: Beside & { readonly folder: ConfigFolder | undefined },
  { appName, isStrict = false, brands = [] }: CheckOptions,
): Promise<CheckedConfig> {
  const meant = makeMeant();
  const made = makeRawConfig(entries, { appName, meant });
  const included = await includeTexts(made, folder);
  const packed = await packSources(made, readSources);
  const raw = { ...made, faultAt: faultsOf(made, included) };
  const shapes = checkShapes(raw, meant);
  const told = checkRules(raw, packed.sources, { meant, brands });
  const ignored = made.ignored.map((one): FoundFault =>
    isStrict ? { ...one, code: "unknown_key" } : one,
  );
  const before = [...raw.faults, ...included.faults, ...packed.faults, ...shapes.faults];
  const found = [...before, ...ofWhatIsRead(told.errors, [...before, ...included.unread])];
  const errors = placeFaults(entries, isStrict ? [...found, ...ignored] : found);
  const allowed = [...included.warnings, ...told.warnings];
  const warnings = placeFaults(entries, isStrict ? allowed : [...allowed, ...ignored]);
  const notices = placeFaults(entries, noticesOf(raw));
  const { document } = shapes;
  return {
    errors: errors.told as ConfigFault<ConfigFaultCode>[], // warnings are apart
    errorCount: errors.count,
    warnings: warnings.told as ConfigFault<ConfigWarningCode>[], // by warnOfConfig
    notices: notices.told as ConfigFault<ConfigNoticeCode>[],
    files: [...entries.entries.keys(), ...included.files],
    sources: packed.sources,
    config:
      errors.count === 0 && document !== undefined
        ? validConfig(document, brands, told.graph)
        : undefined,
  };
}

const noticesOf = (raw: RawConfig): FoundFault[] =>
  noticesOfConfig(raw).map(({ path, detail }) => raw.faultAt(path, "not_deployed_yet", detail));

/** Faults that say from which file their text was read, if it was. */
function faultsOf({ faultAt }: RawConfig, { fileOf }: Included): RawConfig["faultAt"] {
  return (path, code, detail) => {
    const file = fileOf(path);
    return faultAt(path, code, file === undefined ? detail : `${detail} (read from ${file})`);
  };
}

/** Faults without those of texts that were not read: there is one fault for these. */
function ofWhatIsRead(
  found: readonly FoundFault[],
  before: readonly FoundFault[],
): readonly FoundFault[] {
  const unread = new Set(before.filter(({ code }) => isOfReading(code)).map(placeOf));
  return found.filter((one) => one.code !== "bad_rego" || !unread.has(placeOf(one)));
}

const readingCodes: readonly string[] = [
  "missing_file",
  "outside_root",
  "remote_contents",
  "config_too_costly",
] satisfies ConfigFaultCode[];
const isOfReading = (code: string): boolean => readingCodes.includes(code);
const placeOf = ({ file, pointer }: FoundFault): string => `${file}\n${pointer}`;

/** What acts: nothing acts on the rest, and its templates are another program's. */
function acting(tree: RawConfig["tree"]): object {
  const { metadata } = tree;
  const rest = { ...tree, installer: undefined };
  return isTable(metadata) ? { ...rest, metadata: { ...metadata, onboarding: undefined } } : rest;
}

function checkRules(
  raw: RawConfig,
  sources: readonly PackedSource[],
  by: Pick<Tell, "meant" | "brands">,
) {
  const errors: FoundFault[] = [];
  const warnings: FoundFault[] = [];
  const tell: Tell = Object.assign((...[path, code, detail]: Parameters<Tell>) => {
    if (errors.length < configLimits.counted) errors.push(raw.faultAt(path, code, detail));
  }, by);
  for (const rule of rules) rule(raw.tree, tell);
  const warn: Warn = (path, code, detail) => {
    if (warnings.length < configLimits.counted) warnings.push(raw.faultAt(path, code, detail));
  };
  const references = readReferences(acting(raw.tree), tell, {
    look: (template) => {
      warnOfCommand(raw.tree, template, warn);
      warnOfRoots(template, warn);
    },
  });
  const graph = graphOf(raw.tree, references, tell);
  const besides = inputsOfSources(raw.tree, sources);
  warnOfConfig(raw.tree, { references, besides }, warn);
  return { errors, warnings, graph };
}

/** Brands are a part of it: with others it is another version, which is rendered otherwise. */
function validConfig(document: AppConfigDocument, brands: Brands, graph: ConfigGraph): ValidConfig {
  const ordered = inOneOrder(brands.length === 0 ? document : { ...document, brands });
  const text = canonicalJson(ordered);
  return { document: ordered, text, checksum: checksumOf(text), graph };
}
