import { ApiRefusal, isRefusal } from "../../kubernetes/api-refusal.ts";
import type { Change } from "../../kubernetes/change.ts";
import type { Located } from "../../kubernetes/cluster.ts";
import { diffObjects } from "../../kubernetes/diff-objects.ts";
import { digestOfChange } from "../../kubernetes/digest-of-diff.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { type KubeObject, refWords } from "../../kubernetes/kube-object.ts";
import type { HelmContext } from "./helm-context.ts";

type Rendered = { readonly change: Change; readonly object: KubeObject | undefined };

/**
 * The same changes; what the chart leaves as it is, and somebody has changed or deleted in the cluster, among them as what helm sets back.
 * It is shown, but no part of what is approved: that is the same whether or not somebody sets it back by then.
 */
export async function withChangesByHand(
  context: HelmContext,
  all: readonly Rendered[],
): Promise<Change[]> {
  return await eachOf(all, async ({ change, object }) => {
    const isHook = object?.metadata.annotations?.["helm.sh/hook"] !== undefined;
    if (object === undefined || isHook || change.action !== "unchanged") return change;
    const found = await changedByHand(context, change, object).catch((error: unknown) => {
      if (!(error instanceof ApiRefusal)) throw error;
      if (error.status === 403) throw explainRefusal(error, refWords(change.ref)); // nor may it set it back
      const words = `${refWords(change.ref)}: whether somebody changed it is not known, as the cluster refuses to say: ${error.message}`;
      context.job.log(words, "warn", "diff", `by-hand ${refWords(change.ref)}`);
      return undefined;
    });
    return found === undefined ? change : { ...found, digest: digestOfChange(change, context.key) };
  });
}

/** A Job that is over and has its time is deleted by the cluster. */
const goesByItself = ({ kind, ...object }: KubeObject): boolean =>
  kind === "Job" && isMap(object["spec"]) && object["spec"]["ttlSecondsAfterFinished"] != null;

/** What the cluster itself fills in: the rules of a role that others are gathered in. */
function withoutFilledIn(object: KubeObject): KubeObject {
  if (object.kind !== "ClusterRole" || object["aggregationRule"] == null) return object;
  const { rules: _, ...rest } = object;
  return rest;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined where nobody has. */
async function changedByHand(
  { cluster, key }: HelmContext,
  change: Change,
  object: KubeObject,
): Promise<Change | undefined> {
  const resource = await cluster.discovery.find(object.apiVersion, object.kind);
  if (resource === undefined) return undefined;
  const namespace = resource.isNamespaced ? change.ref.namespace : "";
  const at: Located = { ref: { ...change.ref, namespace }, resource };
  const live = await cluster.get(at);
  if (live === undefined && goesByItself(object)) return undefined;
  if (live === undefined)
    return { ...change, action: "create", changes: diffObjects({ after: object }, key) };
  const metadata = { ...object.metadata, ...(resource.isNamespaced && { namespace }) };
  const how = { manager: "svc-agent/diff", force: true, isDry: true, isLenient: true };
  const wanted = { ...withoutFilledIn(object), metadata };
  const after = await cluster.apply(at, wanted, how).catch((error: unknown) => {
    if (isRefusal(error, 422)) return wanted; // another object has its name, which cannot become this one
    throw error;
  });
  const changes = diffObjects({ before: live, after }, key);
  if (changes.length === 0) return undefined;
  return { ...change, action: "update", changes, whole: { before: live, after } };
}
