import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { testFolder } from "../run/folder.ts";
import { givenCluster, type Kubectl, kubectlAs } from "./given-cluster.ts";

export type Namespace = {
  readonly name: string;
  /** The file of an administrator whose commands are for this namespace unless they say another. */
  readonly kubeconfig: string;
  /** Runs kubectl as that administrator, in this namespace. */
  readonly kubectl: Kubectl;
};

/** A namespace for one test, removed after it. */
export async function givenNamespace(): Promise<Namespace> {
  const { kubectl } = await givenCluster();
  const name = `test-${randomBytes(5).toString("hex")}`;
  await kubectl(["create", "namespace", name]);
  const remove = ["delete", "namespace", name, "--wait=false", "--ignore-not-found"];
  onTestFinished(async () => void (await kubectl(remove)));
  // Controllers make it a moment later, and pods are refused without.
  await kubectl(["wait", "--for=create", "serviceaccount/default", "--timeout=60s", "-n", name]);
  const kubeconfig = await kubeconfigFor(name);
  return { name, kubeconfig, kubectl: kubectlAs(kubeconfig) };
}

export type Account = {
  readonly name: string;
  readonly token: string;
  readonly kubeconfig: string;
  readonly kubectl: Kubectl;
};

/** One rule of a role: what may be done with which resources; of the core group, unless told. */
export type Rule = {
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
  readonly apiGroups?: readonly string[];
  /** The only objects that it is about. */
  readonly resourceNames?: readonly string[];
};

/** A service account that may do this in its namespace and nothing else; its token ends after an hour. */
export async function givenAccount(at: Namespace, rules: readonly Rule[]): Promise<Account> {
  const name = `account-${randomBytes(4).toString("hex")}`;
  const metadata = { name };
  const full = rules.map((rule) => ({ apiGroups: [""], ...rule }));
  const role = { apiVersion: rbac, kind: "Role", metadata, rules: full };
  const binding = {
    apiVersion: rbac,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: at.name }],
  };
  await at.kubectl(["create", "serviceaccount", name]);
  await at.kubectl(["create", "-f", "-"], JSON.stringify({ ...list, items: [role, binding] }));
  const token = (await at.kubectl(["create", "token", name])).trim();
  const kubeconfig = await kubeconfigFor(at.name, token);
  return { name, token, kubeconfig, kubectl: kubectlAs(kubeconfig) };
}

const rbac = "rbac.authorization.k8s.io/v1";
const list = { apiVersion: "v1", kind: "List" };

/** What all containers of a namespace print, whichever pod they are in; only where kwok runs the pods. */
export async function givenPodLogs(at: Namespace, lines: readonly string[]): Promise<void> {
  const logsFile = path.join(path.dirname(at.kubeconfig), "pods.log");
  const time = new Date().toISOString();
  await writeFile(logsFile, lines.map((line) => `${time} stdout F ${line}\n`).join(""));
  const logs = {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "ClusterLogs",
    metadata: { name: at.name },
    spec: { selector: { matchNamespaces: [at.name] }, logs: [{ logsFile, follow: true }] },
  };
  const { kubectl } = await givenCluster();
  await kubectl(["create", "-f", "-"], JSON.stringify(logs));
  onTestFinished(async () => void (await kubectl(["delete", "clusterlogs", at.name])));
}

type Kubeconfig = {
  contexts: { name: string; context: { namespace?: string; user: string } }[];
  users: { name: string; user: object }[];
};

/** A copy of the administrator's file, for a namespace; for another user, by a token. */
export async function kubeconfigFor(namespace: string, token?: string): Promise<string> {
  const { kubectl } = await givenCluster();
  const text = await kubectl(["config", "view", "--raw", "--flatten", "--minify", "-o", "json"]);
  // kubectl wrote it, in the form that it reads.
  const config = JSON.parse(text) as Kubeconfig;
  for (const { context } of config.contexts) context.namespace = namespace;
  if (token !== undefined) for (const entry of config.users) entry.user = { token };
  const file = path.join(await testFolder(), "kubeconfig");
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
