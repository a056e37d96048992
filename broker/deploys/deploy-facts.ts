import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import { checksumOfPart } from "../builds/checksum-of-part.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type FixedLogin, findFixedLogin } from "../registry/find-fixed-login.ts";
import type { RegistryConfig } from "../registry/registry-settings.ts";
import {
  type BuildToDeploy,
  type DeployPartRow,
  findBuildToDeploy,
  listBuildsToDeploy,
  listDeployParts,
  type StandingDeploy,
} from "./deploy-part-queries.ts";
import type { ChosenBuild, ConfiguredPart, DeployPart } from "./deploy-part.ts";

/** All of a component of an install, or of its sandbox, that decisions read. */
export type PartFacts = {
  /** The row of `install_components`. */
  readonly targetId: string;
  /** Null: the sandbox. */
  readonly componentId: string | null;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the workflow's config; undefined where that has it no more. */
  readonly wanted: ConfiguredPart | undefined;
  /** The newest build of that which has not failed. */
  readonly newest: BuildToDeploy | undefined;
  readonly deployed: StandingDeploy | undefined;
  /** What was deployed, by the config of its build. */
  readonly deployedPart: ConfiguredPart | undefined;
  /** The build that the workflow is asked to deploy of it. */
  readonly chosen: ChosenBuild | undefined;
  /** The status of the newest deploy that was to change something. */
  readonly status: string;
  readonly hasDrift: boolean;
};

/** What workflows know of all that is deployed in an install. */
export type DeployFacts = {
  readonly sandbox: PartFacts | undefined;
  readonly components: readonly PartFacts[];
  /** The configs by which something of it was deployed, by their ids. */
  readonly configs: ReadonlyMap<string, AppConfigDocument>;
  /** Of components, what this install has instead of what its config says. */
  readonly toggles: Readonly<Record<string, boolean>>;
  readonly registry: RegistryConfig | undefined;
  /** With which installs pull, where the registry has logins of its own. */
  readonly pullLogin: FixedLogin | undefined;
  /** Which plans the agents of the install's runner read, of several the oldest; null where none of them says. */
  readonly readsPlans: number | null;
};

type Of = {
  readonly installId: string;
  readonly configId: string;
  readonly config: AppConfigDocument;
  /** A build that somebody chose. */
  readonly chosenBuild: string | undefined;
  readonly registry: RegistryConfig | undefined;
};

/** What is known of what an install has deployed, by one of its app's configs. Rows that the config needs are made where they are not there. */
export async function findDeployFacts(
  db: Db,
  org: OrgId,
  { installId, configId, config, registry, chosenBuild }: Of,
): Promise<DeployFacts> {
  const wanted = new Map(wantedParts(config, configId).map((one) => [keyOf(one.part), one]));
  const names = [...wanted.keys()];
  const found = await listDeployParts(db, org, { installId, configId, names });
  const known = found.parts.flatMap((row) => {
    const said = row.is_of_config ? wanted.get(row.name) : undefined;
    return said === undefined
      ? []
      : [{ key: row.name, component: row.component_id, checksum: said.checksum }];
  });
  const [builds, pullLogin, documents, chosen] = await Promise.all([
    listBuildsToDeploy(db, org, { appId: found.app_id, known }),
    findFixedLogin(db, org, "pull"),
    readDocuments(db, org, found.parts),
    chosenBuild === undefined ? undefined : findChosen(db, org, chosenBuild),
  ]);
  const parts = found.parts.map((row): PartFacts => {
    const { deployed } = row;
    const before = deployed === null ? undefined : documents.get(deployed.config_id ?? "");
    return {
      targetId: row.id,
      componentId: row.component_id,
      name: row.name,
      labels: row.labels,
      wanted: row.is_of_config ? wanted.get(row.name) : undefined,
      newest: row.is_of_config ? builds.get(row.name) : undefined,
      deployed: deployed ?? undefined,
      deployedPart:
        before &&
        wantedParts(before, deployed?.config_id ?? "").find(({ part }) => keyOf(part) === row.name),
      chosen: row.is_of_config && chosen?.name === row.name ? chosen : undefined,
      status: row.status,
      hasDrift: row.has_drift,
    };
  });
  return {
    sandbox: parts.find(({ componentId }) => componentId === null),
    components: parts.filter(({ componentId }) => componentId !== null),
    toggles: found.toggles,
    configs:
      chosen === undefined
        ? documents
        : new Map([...documents, [chosen.configured.configId, chosen.document]]),
    readsPlans: found.reads_plans,
    registry,
    pullLogin,
  };
}

type FoundBuild = ChosenBuild & { readonly name: string; readonly document: AppConfigDocument };

/** A build, by its own config; undefined where one of both is gone. */
async function findChosen(db: Db, org: OrgId, id: string): Promise<FoundBuild | undefined> {
  const build = await findBuildToDeploy(db, org, id);
  const document = build && (await storedDocument(db, org, build.app_config_id));
  if (build === undefined || document === undefined) return undefined;
  const configured = wantedParts(document, build.app_config_id).find(
    ({ part }) => keyOf(part) === build.name,
  );
  return configured && { name: build.name, build, configured, document };
}

/** The name of a component; empty of the sandbox. */
const keyOf = (part: DeployPart): string => ("component" in part ? part.component.name : "");

/** Documents are kept, and never change. */
const partsOf = new WeakMap<AppConfigDocument, readonly ConfiguredPart[]>();

function wantedParts(document: AppConfigDocument, configId: string): readonly ConfiguredPart[] {
  const known = partsOf.get(document);
  if (known !== undefined) return known;
  const { sandbox, components = [] } = document;
  const all = components.map((component): DeployPart => ({ component }));
  if (sandbox !== undefined) all.push({ sandbox });
  const parts = all.map((part) => ({
    configId,
    part,
    checksum: checksumOfPart("component" in part ? part.component : part.sandbox),
  }));
  partsOf.set(document, parts);
  return parts;
}

async function readDocuments(
  db: Db,
  org: OrgId,
  rows: readonly DeployPartRow[],
): Promise<ReadonlyMap<string, AppConfigDocument>> {
  const ids = new Set(rows.flatMap(({ deployed }) => deployed?.config_id ?? []));
  const documents = new Map<string, AppConfigDocument>();
  for (const id of ids) {
    const document = await storedDocument(db, org, id);
    if (document !== undefined) documents.set(id, document);
  }
  return documents;
}
