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

/** A Secret with which the cluster pulls images from one registry. */
export type PullSecret = {
  readonly name: string;
  readonly server: string;
  readonly username: string;
  readonly password: string;
};

const whole = z.looseObject({
  pull_secret: z
    .looseObject({
      name: z.string(),
      server: z.string(),
      login: z.looseObject({ username: z.string(), password: z.string() }).nullish(),
    })
    .nullish(),
});

/** The pull Secret that a plan has written; undefined where it has none, or only names it, as the plan of a job that changes nothing does. Throws JobFailure. */
export function readPullSecret(plan: Plan): PullSecret | undefined {
  const { data, error } = whole.safeParse(plan);
  if (data === undefined) throw invalidPlan(firstFault(error));
  const { name = "", server = "", login } = data.pull_secret ?? {};
  if (name === "" || server === "" || login == null) return undefined;
  return { name, server, username: login.username, password: login.password };
}

type Place = { readonly namespace: string; readonly createsNamespace: boolean };

/** Writes it where what is deployed pulls by it, in place of the former login. Repeated, it has the same result. Throws JobFailure. */
export async function keepPullSecret(
  { job, cluster }: { readonly job: Job; readonly cluster: Cluster },
  { name, server, username, password }: PullSecret,
  { namespace, createsNamespace }: Place,
): Promise<void> {
  const auth = Buffer.from(`${username}:${password}`).toString("base64");
  const config = JSON.stringify({ auths: { [server]: { username, password, auth } } });
  const packed = Buffer.from(config).toString("base64");
  for (const secret of [password, auth, packed]) job.addSecret(secret);
  const at = secretAt(namespace, name);
  const { apiVersion, kind } = at.ref;
  const object = {
    apiVersion,
    kind,
    metadata: { name, namespace, labels: { "app.kubernetes.io/managed-by": "svc-agent" } },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": packed },
  };
  const write = async (): Promise<unknown> =>
    await cluster.apply(at, object, { manager: "svc-agent/pull", force: true, isDry: false });
  try {
    await write().catch(async (error: unknown) => {
      if (!createsNamespace || !isRefusal(error, 404)) throw error;
      await makeNamespace(cluster, namespace);
      await write();
    });
  } catch (error) {
    throw explainRefusal(error, `${refWords(at.ref)}, with which images are pulled`);
  }
  job.log(`${refWords(at.ref)} has a login for ${server}.`, "info", "pull", "pull-secret");
}
