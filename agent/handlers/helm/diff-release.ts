import type { Change, Diff } from "../../kubernetes/change.ts";
import { diffObjects } from "../../kubernetes/diff-objects.ts";
import { hideSecrets } from "../../kubernetes/hide-secrets.ts";
import { type KubeObject, type ObjectRef, refKey } from "../../kubernetes/kube-object.ts";
import { readObjects } from "../../kubernetes/read-objects.ts";
import { withChangesByHand } from "./changed-by-hand.ts";
import { type Chart, type HelmContext } from "./helm-context.ts";
import { manifestsOf, type Revision } from "./release-records.ts";
import { deployedIn } from "./releases.ts";
import { askHelm } from "./run-helm.ts";
import { sideBySide } from "./side-by-side.ts";
import { upgradeArgs } from "./upgrade-args.ts";

/**
 * What an upgrade would change: the rendered chart against what is deployed. The chart is rendered once for each
 * `look`. Throws JobFailure.
 */
export async function diffUpgrade(
  context: HelmContext,
  chart: Chart,
  revisions: readonly Revision[],
  look = "",
): Promise<Diff> {
  const [wanted, now] = await sideBySide(
    renderedObjects(context, chart, look),
    deployedObjects(context, deployedIn(revisions)),
  );
  const rendered = [...wanted].map(([key, object]) => ({
    object,
    change: changeOf(context, now.get(key), object),
  }));
  // An apply sets it back in any case: it is looked for where that is shown to somebody.
  const isShown = context.run.action === "plan";
  const changes = isShown
    ? await withChangesByHand(context, rendered)
    : rendered.map(({ change }) => change);
  const gone = [...now].filter(([key]) => !wanted.has(key));
  const deletes = gone.map(([, object]) => deleteOf(context.run.namespace, object));
  return { op: "apply", key: context.key, changes: [...changes, ...deletes] };
}

/** What an uninstall would delete. Throws JobFailure. */
export async function diffUninstall(
  context: HelmContext,
  revisions: readonly Revision[],
): Promise<Diff> {
  const last = deployedIn(revisions) ?? revisions.at(-1);
  const now = await deployedObjects(context, last);
  const changes = [...now.values()].map((object) => deleteOf(context.run.namespace, object));
  return { op: "teardown", key: context.key, changes };
}

async function renderedObjects(
  context: HelmContext,
  chart: Chart,
  look: string,
): Promise<Map<string, KubeObject>> {
  // The upgrade checks this itself before it changes anything; only a plan must report it early.
  const unchecked = context.run.action === "plan" ? [] : ["--disable-openapi-validation"];
  const args = [...upgradeArgs(context, chart), "--dry-run=server", "-o", "json", ...unchecked];
  const call = { key: look === "" ? "render" : `render/${look}`, args };
  const text = await askHelm(context.helm, call, "The chart cannot be rendered");
  return await objectsIn(context, manifestsOf(JSON.parse(text)));
}

async function deployedObjects(
  context: HelmContext,
  revision: Revision | undefined,
): Promise<Map<string, KubeObject>> {
  if (revision === undefined) return new Map();
  return await objectsIn(context, await context.records.manifests(revision.revision));
}

async function objectsIn(
  { job, run }: HelmContext,
  texts: readonly string[],
): Promise<Map<string, KubeObject>> {
  const named = texts.map((text) => ({ name: "what the chart makes", text }));
  const objects = (await readObjects(named)).map(({ object }) => object);
  hideSecrets(job, objects);
  return new Map(objects.map((object) => [refKey(refOf(run.namespace, object)), object]));
}

/** An object without a namespace is shown with the release's, as it is unknown here whether its kind has namespaces. */
function refOf(namespace: string, { apiVersion, kind, metadata }: KubeObject): ObjectRef {
  return { apiVersion, kind, namespace: metadata.namespace ?? namespace, name: metadata.name };
}

const nothing = { changes: [], conflicts: [], words: "" } as const;

function changeOf(
  { run, key }: HelmContext,
  before: KubeObject | undefined,
  after: KubeObject,
): Change {
  const ref = refOf(run.namespace, after);
  const changes = diffObjects({ before, after }, key);
  const action = before === undefined ? "create" : changes.length === 0 ? "unchanged" : "update";
  return {
    ...nothing,
    ref,
    action,
    changes,
    ...(action === "update" && { whole: { before, after } }),
  };
}

function deleteOf(namespace: string, object: KubeObject): Change {
  const ref = refOf(namespace, object);
  const isKept = object.metadata.annotations?.["helm.sh/resource-policy"] === "keep";
  if (!isKept) return { ...nothing, ref, action: "delete", whole: { before: object } };
  return {
    ...nothing,
    ref,
    action: "keep",
    words: "its annotation helm.sh/resource-policy is keep",
  };
}
