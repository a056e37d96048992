import { deployFailure } from "./deploy-failure.ts";
import type { KubeObject } from "./kube-object.ts";
import { readYaml, YamlFault } from "./read-yaml.ts";

/** An object of a manifest, and its location: "manifest.yaml, document 2, line 14". */
export type ReadObject = { readonly object: KubeObject; readonly place: string };

/** A text with manifests, and its name for people. */
export type ManifestText = { readonly name: string; readonly text: string };

const mostBytes = 8 * 2 ** 20;
const mostObjects = 4_000;

/**
 * Reads the objects of manifests, in order, with lists expanded. Throws JobFailure that names the document and the
 * line.
 */
export async function readObjects(texts: readonly ManifestText[]): Promise<ReadObject[]> {
  const found: ReadObject[] = [];
  for (const { name, text } of texts) {
    if (Buffer.byteLength(text) > mostBytes) {
      throw invalid(`${name} is longer than 8 MiB: give it in several deploys`);
    }
    for (const { number, line, value } of await documentsOf(name, text)) {
      found.push(...objectsIn(value, `${name}, document ${number}, line ${line}`));
    }
    if (found.length > mostObjects) {
      throw invalid(`there are more than ${mostObjects} objects: give them in several deploys`);
    }
  }
  return found;
}

async function documentsOf(name: string, text: string): ReturnType<typeof readYaml> {
  try {
    return await readYaml(text);
  } catch (error) {
    if (error instanceof YamlFault) throw invalid(`${name}, ${error.message}`);
    throw error;
  }
}

function objectsIn(value: unknown, place: string): ReadObject[] {
  if (!isRecord(value)) throw invalid(`${place}: it is not an object`);
  const { kind, apiVersion, items, metadata } = value;
  for (const [member, given] of Object.entries({ apiVersion, kind })) {
    if (typeof given !== "string" || given === "") throw invalid(`${place}: ${member} is missing`);
  }
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)) {
    return items.flatMap((item, at) => objectsIn(item, `${place}, item ${at + 1}`));
  }
  if (!isRecord(metadata)) throw invalid(`${place}: metadata is missing`);
  const { name, namespace } = metadata;
  if (typeof name !== "string" || name === "") {
    throw invalid(
      `${place}: metadata.name is missing: only objects with a name can be applied again`,
    );
  }
  if (namespace != null && typeof namespace !== "string") {
    throw invalid(`${place}: metadata.namespace is not a string`);
  }
  return [{ object: value as KubeObject, place }]; // its members were checked
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function invalid(words: string): Error {
  return deployFailure(`The manifest cannot be used: ${words}.`, "config_invalid");
}
