import type { AppConfigDocument } from "../../../shared/app-config/config-files.ts";
import { diffConfigs } from "../../../shared/app-config/diff-configs.ts";
import { nameKey } from "../../../shared/app-config/rules/rule.ts";
import type { Brands } from "../../../shared/brands.ts";
import { isOpa } from "../../../shared/policies/choose-policies.ts";
import type { WorkDone } from "../../work-pool/work-kind.ts";
import { type DraftAsked, toConfigDraft } from "./config-draft.ts";
import { type ConfigSource, otherApp, requireValid } from "./require-valid.ts";

/** What is to be made of a valid config: a draft of it, or, for the app of a name, nothing that is stored. */
export type CheckAsked = {
  readonly draft?: DraftAsked;
  readonly appName?: string;
  /** The broker's. */
  readonly brands: Brands;
  /** The app's name, where the config says none. */
  readonly defaultName?: string;
};

/** A policy by its place. */
export type CheckedPolicy = { readonly at: number; readonly name: string };

/** A folder of the config's own that is built: whose, and which of the archives it is. The sandbox's name is empty. */
export type SourceAt = { readonly component: string; readonly at: number };

/** What is short of a config that was checked. */
export type Checked = {
  readonly checksum: string;
  readonly changeCount: number;
  /** Its policies that OPA evaluates and the document before it has not: each one's text is among the bytes, in this order. */
  readonly policies: readonly CheckedPolicy[];
  /** What components are built from, by their names; the archives of these are the last of the bytes, in this order. */
  readonly sources: readonly SourceAt[];
  /** What it has by name. */
  readonly names: Readonly<Record<"actions" | "components" | "runbooks", readonly string[]>>;
};

/**
 * Checks a config; 422 with all that is wrong in it. Its bytes are, each as JSON: the draft that is stored (empty unless one is
 * wanted), what it changes of the document before it, what it is warned of, on what of it nothing acts, its readme; then the texts of policies, and the archives of what is built.
 */
export async function checkConfig(
  { draft, appName, defaultName = appName, brands }: CheckAsked,
  source: ConfigSource,
  before: Buffer | undefined,
): Promise<WorkDone<Checked>> {
  const { config, warnings, notices, sources } = await requireValid(source, {
    appName: defaultName,
    brands,
  });
  const { document, checksum } = config;
  if (appName !== undefined && nameKey(document.metadata.name) !== nameKey(appName))
    throw otherApp(appName);
  const old = before && (JSON.parse(before.toString("utf8")) as AppConfigDocument); // stored as it was checked
  const changes = diffConfigs(old, document);
  const policies = newPolicies(document, old);
  const archives = new Map(sources.map(({ digest, tar }) => [digest, tar]));
  const digests = [...archives.keys()];
  const told = warnings.map(({ file, pointer, code, detail }) => ({ file, pointer, code, detail }));
  return {
    told: {
      checksum,
      changeCount: changes.length,
      policies: policies.map(({ at, name }) => ({ at, name })),
      sources: sources.map(({ component, digest }) => ({ component, at: digests.indexOf(digest) })),
      names: {
        actions: namesOf(document.actions),
        components: namesOf(document.components),
        runbooks: namesOf(document.runbooks),
      },
    },
    bytes: [
      draft === undefined
        ? Buffer.alloc(0)
        : asJson(toConfigDraft(config, { ...draft, remarks: { warnings: told, notices } })),
      asJson(changes),
      asJson(told),
      asJson(notices),
      asJson(document.metadata.readme ?? ""),
      ...policies.map(({ contents }) => Buffer.from(contents)),
      ...(draft === undefined ? [] : archives.values()),
    ],
  };
}

function newPolicies(
  { policies }: AppConfigDocument,
  before: AppConfigDocument | undefined,
): (CheckedPolicy & { readonly contents: string })[] {
  const known = new Set(before?.policies?.policy.map(({ contents }) => contents));
  return (policies?.policy ?? []).flatMap((one, at) =>
    isOpa(one) && !known.has(one.contents) ? [{ at, name: one.name, contents: one.contents }] : [],
  );
}

const asJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const namesOf = (list: readonly { readonly name: string }[] = []): readonly string[] =>
  list.map(({ name }) => name);
