import { createHash } from "node:crypto";
import { secretAt } from "../../cluster-jobs/cluster-job.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { isRefusal } from "../../kubernetes/api-refusal.ts";
import type { ClusterContext } from "../../kubernetes/cluster-context.ts";
import type { Located } from "../../kubernetes/cluster.ts";
import { deployFailure, withMoreDetail } from "../../kubernetes/deploy-failure.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { type KubeObject, refWords } from "../../kubernetes/kube-object.ts";
import { makeNamespace } from "../../kubernetes/make-namespace.ts";
import type { FoundSecret } from "./read-secrets.ts";
import type { SecretsRun } from "./secrets-run.ts";

type Write = { readonly at: Located; readonly key: string; readonly value: Buffer };
type How = Pick<SecretsRun, "isDry" | "isForced">;

/**
 * Writes every secret to each of its targets: those keys and the marks, and nothing else of what is there. Repeated, it has
 * the same result. Returns how many were written; throws a JobFailure that says so, too.
 */
export async function writeSecrets(
  context: ClusterContext,
  how: How,
  found: readonly FoundSecret[],
): Promise<number> {
  const writes = found.flatMap((one) => writesOf(one));
  // One after the other where they are of one Secret, so that they are in nobody's way.
  const bySecret = Map.groupBy(writes, ({ at }) => refWords(at.ref));
  let done = 0;
  await eachOf([...bySecret.values()], async (group) => {
    for (const write of group) {
      if (context.job.signal.aborted)
        throw deployFailure(`It was stopped: ${doneWords(done, writes.length)}.`, "canceled");
      const did = doneWords(done, writes.length);
      await writeOne(context, how, write).catch((error: unknown) => {
        throw explained(error, write, { how, did });
      });
      done += 1;
    }
  });
  return done;
}

const doneWords = (done: number, all: number): string => `${done} of ${all} keys were written`;

function writesOf({ wanted, value }: FoundSecret): Write[] {
  if (value === undefined) return [];
  return wanted.targets.map(({ namespace, name, key }) => ({
    at: secretAt(namespace, name),
    key,
    value,
  }));
}

async function writeOne(context: ClusterContext, how: How, write: Write): Promise<void> {
  const { cluster, job } = context;
  const { at, key } = write;
  const manager = managerOf(key);
  const apply = async (): Promise<unknown> =>
    await cluster.apply(at, objectOf(write), { manager, force: how.isForced, isDry: how.isDry });
  const { namespace } = at.ref;
  try {
    await apply();
  } catch (error) {
    if (!isRefusal(error, 404)) throw error;
    const words = `The namespace ${namespace} is not there: it ${how.isDry ? "would be" : "is"} made.`;
    job.log(words, "info", "write", `namespace ${namespace}`);
    if (how.isDry) return;
    await makeNamespace(cluster, namespace, marks.labels);
    await apply();
  }
  const did = how.isDry ? "would be written" : "was written";
  job.log(
    `${refWords(at.ref)}: the key ${key} ${did}.`,
    "info",
    "write",
    `${refWords(at.ref)} ${key}`,
  );
}

/** One for each key: whoever writes one takes no other away with it. */
const managerOf = (key: string): string =>
  key.length <= 100
    ? `svc-secrets/${key}`
    : `svc-secrets/${createHash("sha256").update(key).digest("hex")}`;

const marks = {
  labels: { "svc/secrets": "synced" },
  annotations: {
    "svc/about": "Keys of the managers svc-secrets are copied from the secret stores of a cloud.",
  },
};

function objectOf({ at: { ref }, key, value }: Write): KubeObject {
  return {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: ref.name, namespace: ref.namespace, ...marks },
    type: "Opaque",
    data: { [key]: value.toString("base64") },
  };
}

function explained(
  error: unknown,
  { at }: Write,
  { how, did }: { readonly how: How; readonly did: string },
): Error {
  const failure = explainRefusal(error, refWords(at.ref));
  if (!(failure instanceof JobFailure)) return failure;
  const isConflict = failure.metadata["class"] === "conflict" && !how.isForced;
  const advice = isConflict
    ? "force_conflicts in the plan takes it over."
    : /immutable/.test(failure.message)
      ? "Delete it, or write to another name."
      : "";
  const so = how.isDry ? "" : `Before that, ${did}.`;
  const more = [advice, so].filter(Boolean).join(" ");
  return more === "" ? failure : withMoreDetail(failure, more);
}
