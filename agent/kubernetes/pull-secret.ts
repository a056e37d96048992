import { z } from "zod";
import { firstFault } from "../../shared/issue-words.ts";
import { secretAt } from "../cluster-jobs/cluster-job.ts";
import type { Job, Plan } from "../jobs/handler.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import { isRefusal } from "./api-refusal.ts";
import type { Cluster } from "./cluster.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { refWords } from "./kube-object.ts";
import { makeNamespace } from "./make-namespace.ts";

/** A Secret with which the cluster pulls images from one registry. Without a login nothing is written. */
export type PullSecret = {
  readonly name: string;
  readonly server: string;
  readonly login: { readonly username: string; readonly password: string } | undefined;
  /** A teardown takes it away. */
  readonly isRemoved: boolean;
};

const whole = z.looseObject({
  pull_secret: z
    .looseObject({
      removed: z.boolean().nullish(),
      name: z.string(),
      server: z.string(),
      login: z.looseObject({ username: z.string(), password: z.string() }).nullish(),
    })
    .nullish(),
});

/** The pull Secret of a plan; undefined where it has none. Throws JobFailure. */
export function readPullSecret(plan: Plan): PullSecret | undefined {
  const { data, error } = whole.safeParse(plan);
  if (data === undefined) throw invalidPlan(firstFault(error));
  const { name = "", server = "", login, removed } = data.pull_secret ?? {};
  if (name === "" || server === "") return undefined;
  return { name, server, login: login ?? undefined, isRemoved: removed === true };
}

type Context = { readonly job: Job; readonly cluster: Cluster };
type Place = { readonly namespace: string; readonly createsNamespace?: boolean };

const ours = { "app.kubernetes.io/managed-by": "svc-agent" } as const;

/** Writes it where what is deployed pulls by it, in place of the former login. Repeated, it has the same result. Throws JobFailure. */
export async function keepPullSecret(
  { job, cluster }: Context,
  secret: PullSecret | undefined,
  { namespace, createsNamespace = false }: Place,
): Promise<void> {
  if (secret?.login === undefined || secret.isRemoved) return;
  const { name, server, login } = secret;
  const { username, password } = login;
  const auth = Buffer.from(`${username}:${password}`).toString("base64");
  const config = JSON.stringify({ auths: { [server]: { username, password, auth } } });
  const packed = Buffer.from(config).toString("base64");
  for (const hidden of [password, auth, packed]) job.addSecret(hidden);
  const at = secretAt(namespace, name);
  const { apiVersion, kind } = at.ref;
  const object = {
    apiVersion,
    kind,
    metadata: { name, namespace, labels: ours },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": packed },
  };
  const write = async (): Promise<unknown> =>
    await cluster.apply(at, object, { manager: "svc-agent/pull", force: true, isDry: false });
  try {
    await write();
  } catch (error) {
    const failed = `${refWords(at.ref)}, with which images are pulled`;
    if (!isRefusal(error, 404)) throw explainRefusal(error, failed);
    if (!createsNamespace) {
      // What is deployed into other namespaces alone needs none; what pulls by it there would say so.
      const words = `The namespace ${namespace} is not there: no Secret with a login for ${server} was written.`;
      job.log(words, "warn", "pull", "pull-secret");
      return;
    }
    await makeNamespace(cluster, namespace);
    await write().catch((again: unknown) => {
      throw explainRefusal(again, failed);
    });
  }
  job.log(`${refWords(at.ref)} has a login for ${server}.`, "info", "pull", "pull-secret");
}

/** Takes it away when what pulled by it is gone. What fails of that is said, and no reason to fail. */
export async function removePullSecret(
  { job, cluster }: Context,
  secret: PullSecret | undefined,
  { namespace }: Place,
): Promise<void> {
  if (secret?.isRemoved !== true) return;
  const at = secretAt(namespace, secret.name);
  try {
    const live = await cluster.get(at);
    const isOurs = Object.entries(ours).every(([name, is]) => live?.metadata.labels?.[name] === is);
    if (live?.metadata.uid === undefined || !isOurs) return;
    await cluster.remove(at, live.metadata.uid);
  } catch (error) {
    const why = job.redact(String((error as Partial<Error> | undefined)?.message));
    job.log(`${refWords(at.ref)} stays: ${why}`, "warn", "pull", "pull-secret-stays");
  }
}
