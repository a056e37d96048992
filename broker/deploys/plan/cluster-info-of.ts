import { isMap, type Json, textOf } from "../../../shared/app-config/templates/json-value.ts";
import { hiddenValue } from "../../../shared/hidden-value.ts";
import type { StateBase } from "../../installs/state-base.ts";

/** A cluster as plans name it. */
export type ClusterInfo = {
  readonly id?: string;
  readonly endpoint?: string;
  readonly ca_data?: string;
  readonly kube_config?: string;
  readonly token?: string;
  readonly cloud?: string;
  readonly region?: string;
};

/** Outputs that name a cluster, by what they are called. */
const outputs = [
  "name",
  "endpoint",
  "host",
  "certificate_authority_data",
  "cluster_ca_certificate",
  "kube_config",
  "token",
  "region",
] as const;
type Outputs = Readonly<Record<(typeof outputs)[number], string>>;

/** Where a cluster is looked for, below `.svc`. */
type ClusterPlace = readonly string[];

export const sandboxCluster: readonly ClusterPlace[] = [["sandbox", "outputs", "cluster"]];
/** A component's outputs may have it below `cluster`, or be it. */
export const componentCluster = (name: string): readonly ClusterPlace[] => [
  ["components", name, "outputs", "cluster"],
  ["components", name, "outputs"],
];

/** Templates that read a cluster at each of these places, and are empty where there is none: so outputs are read, and masked, as all else is. */
export const clusterTemplates = (places: readonly ClusterPlace[]): Json =>
  places.map((place) =>
    Object.fromEntries(outputs.map((name) => [name, templateOf([...place, name])])),
  );

/** A path in a template may have no `-`; `_` means the same. */
const templateOf = (path: ClusterPlace): string =>
  `{{ .svc.${path.map((name) => name.replaceAll("-", "_")).join(".")} | default "" }}`;

/** The first place that has a cluster, by what those templates gave; -1 where none has. */
export const clusterAt = (rendered: Json | undefined): number =>
  placesIn(rendered).findIndex((one) => one.kube_config !== "" || addressOf(one) !== "");

/** The cluster at that place, of an install. Who signs in there, if its outputs do not say it, is the runner itself. */
export function clusterInfoOf(
  rendered: Json | undefined,
  at: number,
  { cloud_platform: cloud, cloud_account: account }: StateBase["install"],
): ClusterInfo | undefined {
  const found = placesIn(rendered)[at];
  if (found === undefined) return undefined;
  const { name, kube_config, token } = found;
  const address = addressOf(found);
  const authority = found.certificate_authority_data || found.cluster_ca_certificate;
  const signsIn = kube_config !== "" || token !== "";
  const region = found.region || regionOf(account);
  return {
    ...(name !== "" && { id: name }),
    ...(address !== "" && { endpoint: urlOf(address) }),
    ...(authority !== "" && { ca_data: encoded(authority) }),
    ...(kube_config !== "" && { kube_config }),
    ...(token !== "" && { token }),
    ...(!signsIn && cloud !== "unknown" && { cloud }),
    ...(!signsIn && cloud === "aws" && region !== "" && { region }),
  };
}

/** As people are shown it. */
export function shownCluster(cluster: ClusterInfo | undefined): ClusterInfo | undefined {
  if (cluster === undefined) return undefined;
  return {
    ...cluster,
    ...(cluster.kube_config !== undefined && { kube_config: hiddenValue }),
    ...(cluster.token !== undefined && { token: hiddenValue }),
  };
}

function placesIn(rendered: Json | undefined): readonly Outputs[] {
  const places = Array.isArray(rendered) ? (rendered as readonly Json[]) : [];
  return places.map((place) => {
    const texts = outputs.map((name) => [name, textOf((isMap(place) && place[name]) || "")]);
    return Object.fromEntries(texts) as Outputs; // each by its name
  });
}

const addressOf = ({ endpoint, host }: Outputs): string => endpoint || host;

/** Some clouds give an address alone. */
const urlOf = (address: string): string =>
  /^[\w.[\]:-]+$/.test(address) && !address.includes("://") ? `https://${address}` : address;

const encoded = (authority: string): string =>
  authority.includes("-----BEGIN") ? Buffer.from(authority).toString("base64") : authority;

function regionOf(account: StateBase["install"]["cloud_account"]): string {
  const { region } = account as Readonly<Record<string, unknown>>;
  return typeof region === "string" ? region : "";
}
