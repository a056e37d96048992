import { keyedDigest } from "./keyed-digest.ts";
import type { KubeObject } from "./kube-object.ts";

/** A changed member; an absent side has no value. */
export type MemberChange = {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
};

type Tree = Readonly<Record<string, unknown>>;

/** An object before and after the change. */
export type Versions = {
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
};

/**
 * The differences between two versions of an object. Values of Secrets are replaced by digests with this key, which
 * are never shown.
 */
export function diffObjects({ before, after }: Versions, key: string): MemberChange[] {
  const changes: MemberChange[] = [];
  compare({ path: "", before: comparable(before, key), after: comparable(after, key) }, changes);
  return changes;
}

/** Members that the server maintains, which nobody sets. */
const ofServer = [
  "managedFields",
  "resourceVersion",
  "generation",
  "uid",
  "creationTimestamp",
  "selfLink",
];
/** It repeats the whole object, with its secrets. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** An object without what the server maintains; values of a Secret are digests with this key. */
export function comparable(object: KubeObject | undefined, key: string): Tree | undefined {
  if (object === undefined) return undefined;
  const { status: _, metadata, ...members } = object;
  const own = Object.entries(metadata).filter(([name]) => !ofServer.includes(name));
  const shown = { ...members, metadata: withoutLastApplied(Object.fromEntries(own)) };
  return object.kind === "Secret" && object.apiVersion === "v1"
    ? withoutSecrets(shown, key)
    : shown;
}

function withoutLastApplied(metadata: Tree): Tree {
  const { annotations, ...members } = metadata;
  if (annotations == null) return metadata;
  const kept = Object.entries(annotations).filter(([name]) => name !== lastApplied);
  return kept.length === 0 ? members : { ...members, annotations: Object.fromEntries(kept) };
}

/** The server converts `stringData` to `data`, so it is compared as that. */
function withoutSecrets(secret: Tree, key: string): Tree {
  const { data, stringData, ...members } = secret;
  const digestOf = (bytes: Buffer): string => keyedDigest(bytes.toString("base64"), key);
  const digests = {
    ...mapped(data, (value) => digestOf(Buffer.from(value, "base64"))),
    ...mapped(stringData, (value) => digestOf(Buffer.from(value))),
  };
  return Object.keys(digests).length === 0 ? members : { ...members, data: digests };
}

function mapped(values: unknown, digest: (value: string) => string): Record<string, string> {
  if (typeof values !== "object" || values === null) return {};
  const texts = Object.entries(values);
  return Object.fromEntries(texts.map(([name, value]) => [name, digest(String(value))]));
}

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function compare({ path, before, after }: MemberChange, changes: MemberChange[]): void {
  if (isTree(before) && isTree(after)) return compareMembers(path, { before, after }, changes);
  if (Array.isArray(before) && Array.isArray(after)) {
    return compareItems(path, { before, after }, changes);
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const existing = before !== undefined && { before };
  changes.push({ path, ...existing, ...(after !== undefined && { after }) });
}

type Both<T> = { readonly before: T; readonly after: T };

function compareMembers(
  path: string,
  { before, after }: Both<Tree>,
  changes: MemberChange[],
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const inner = /^[\w-]+$/.test(name)
      ? `${path}${path === "" ? "" : "."}${name}`
      : `${path}[${JSON.stringify(name)}]`;
    compare({ path: inner, before: before[name], after: after[name] }, changes);
  }
}

/** Named items are matched by name, not by position: containers, ports, variables. */
function compareItems(
  path: string,
  { before, after }: Both<readonly unknown[]>,
  changes: MemberChange[],
): void {
  if ([...before, ...after].every((item) => nameOf(item) !== undefined)) {
    const byName = (items: readonly unknown[]): Tree =>
      Object.fromEntries<unknown>(items.map((item) => [nameOf(item) ?? "", item]));
    const [old, now] = [byName(before), byName(after)];
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      compare({ path: `${path}[${name}]`, before: old[name], after: now[name] }, changes);
    }
    return;
  }
  for (let at = 0; at < Math.max(before.length, after.length); at++) {
    compare({ path: `${path}[${at}]`, before: before[at], after: after[at] }, changes);
  }
}

const nameOf = (item: unknown): string | undefined =>
  isTree(item) && typeof item["name"] === "string" ? item["name"] : undefined;
