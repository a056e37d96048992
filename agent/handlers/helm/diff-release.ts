import { z } from "zod";
import type { Change, Diff } from "../../kubernetes/change.ts";
import { diffObjects } from "../../kubernetes/diff-objects.ts";
import { hideSecrets } from "../../kubernetes/hide-secrets.ts";
import { type KubeObject, type ObjectRef, refKey } from "../../kubernetes/kube-object.ts";
import { readObjects } from "../../kubernetes/read-objects.ts";
import { type Chart, type HelmGround } from "./helm-ground.ts";
import { deployedIn, type Revision } from "./releases.ts";
import { askHelm } from "./run-helm.ts";
import { upgradeArgs } from "./upgrade-args.ts";

const rendered = z.looseObject({
  manifest: z.string(),
  hooks: z.array(z.looseObject({ manifest: z.string() })).nullish(),
});

/**
 * What an upgrade would change of the release: the chart as it is rendered against what is deployed. It is rendered once
 * for each `look`. Throws JobFailure.
 */
export async function diffUpgrade(
  ground: HelmGround,
  chart: Chart,
  revisions: readonly Revision[],
  look = "",
): Promise<Diff> {
  const { helm, run } = ground;
  const args = [...upgradeArgs(ground, chart), "--dry-run=server", "-o", "json"];
  const key = look === "" ? "render" : `render/${look}`;
  const text = await askHelm(helm, { key, args }, `The chart cannot be rendered`);
  const { manifest, hooks } = rendered.parse(JSON.parse(text));
  const wanted = await objectsIn(ground, [manifest, ...(hooks ?? []).map((hook) => hook.manifest)]);
  const now = await deployedObjects(ground, deployedIn(revisions));
  const changes = [...wanted].map(([key, object]) => changeOf(run.namespace, now.get(key), object));
  const gone = [...now].filter(([key]) => !wanted.has(key));
  return {
    op: "apply",
    changes: [...changes, ...gone.map(([, object]) => deleteOf(run.namespace, object))],
  };
}

/** What an uninstall would delete. Throws JobFailure. */
export async function diffUninstall(
  ground: HelmGround,
  revisions: readonly Revision[],
): Promise<Diff> {
  const last = deployedIn(revisions) ?? revisions.at(-1);
  const now = await deployedObjects(ground, last);
  const changes = [...now.values()].map((object) => deleteOf(ground.run.namespace, object));
  return { op: "teardown", changes };
}

async function deployedObjects(
  ground: HelmGround,
  revision: Revision | undefined,
): Promise<Map<string, KubeObject>> {
  if (revision === undefined) return new Map();
  const { helm, run } = ground;
  const get = async (what: string): Promise<string> =>
    await askHelm(
      helm,
      { key: `get/${what}`, args: ["get", what, run.name, "--revision", `${revision.revision}`] },
      "What is deployed cannot be read",
    );
  return await objectsIn(ground, [await get("manifest"), await get("hooks")]);
}

async function objectsIn(
  { job, run }: HelmGround,
  texts: readonly string[],
): Promise<Map<string, KubeObject>> {
  const named = texts.map((text) => ({ name: "what the chart makes", text }));
  const objects = (await readObjects(named)).map(({ object }) => object);
  hideSecrets(job, objects);
  return new Map(objects.map((object) => [refKey(refOf(run.namespace, object)), object]));
}

/** Of what says no namespace, nobody knows here whether it has one: it is called by the release's. */
function refOf(namespace: string, { apiVersion, kind, metadata }: KubeObject): ObjectRef {
  return { apiVersion, kind, namespace: metadata.namespace ?? namespace, name: metadata.name };
}

const nothing = { changes: [], conflicts: [], words: "" } as const;

function changeOf(namespace: string, before: KubeObject | undefined, after: KubeObject): Change {
  const ref = refOf(namespace, after);
  const changes = diffObjects(before, after);
  const action = before === undefined ? "create" : changes.length === 0 ? "unchanged" : "update";
  return { ...nothing, ref, action, changes };
}

function deleteOf(namespace: string, object: KubeObject): Change {
  const ref = refOf(namespace, object);
  const isKept = object.metadata.annotations?.["helm.sh/resource-policy"] === "keep";
  if (!isKept) return { ...nothing, ref, action: "delete" };
  return {
    ...nothing,
    ref,
    action: "keep",
    words: "its annotation helm.sh/resource-policy is keep",
  };
}
