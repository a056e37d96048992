import { writeFile } from "node:fs/promises";
import path from "node:path";
import { executorRights, type Right } from "../../../agent/executor/rights.ts";
import { type RunnerWithAgent, jobReader } from "../agent/given-jobs.ts";
import { type AgentProcess, startAgentProcess } from "../agent/start-agent-process.ts";
import type { Fleet, TestRunner } from "../broker/given-fleet.ts";
import { testFolder } from "../run/folder.ts";
import {
  type Account,
  givenAccount,
  givenNamespace,
  type Namespace,
  type Rule,
} from "./given-namespace.ts";
import { type Kubelet, startKubelet } from "./start-kubelet.ts";

export type RunnerWithExecutor = TestRunner &
  Omit<RunnerWithAgent, "agent"> & {
    readonly at: Namespace;
    readonly account: Account;
    readonly kubelet: Kubelet;
    /** Starts an agent whose jobs get pods, by this kubeconfig or the account's; each start has an empty disk. */
    readonly start: (
      settings?: Readonly<Record<string, string>>,
      kubeconfig?: string,
      env?: Readonly<Record<string, string>>,
    ) => Promise<AgentProcess>;
    /** The Jobs of the namespace. */
    readonly jobs: () => Promise<SeenJobs>;
  };

type SeenJobs = {
  metadata: { name: string; uid: string; labels: Record<string, string> };
  spec: { template: { spec: object } };
}[];

/** A rule for each right. */
export function rulesOf(rights: readonly Right[]): Rule[] {
  return rights.map(({ verb, group, resource, name }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
    ...(name !== undefined && { resourceNames: [name] }),
  }));
}

/** A runner, a namespace with a kubelet's stand-in, and an account that may do what an executor has to. */
export async function givenExecutor(
  fleet: Fleet,
  template: object = {},
): Promise<RunnerWithExecutor> {
  const runner = await fleet.addRunner({
    parallelism: { actions: 2, deploy: 2, sandbox: 1, operations: 2 },
  });
  const at = await givenNamespace();
  const account = await givenAccount(at, rulesOf(executorRights("svc-agent")));
  const kubelet = await startKubelet(at);
  const file = path.join(await testFolder(0o700), "pod.json");
  const metadata = { annotations: { "svc.test/pod": "real" } };
  await writeFile(file, JSON.stringify({ metadata, ...template }));
  return {
    ...jobReader(fleet, runner),
    at,
    account,
    kubelet,
    start: async (settings = {}, kubeconfig = account.kubeconfig, env = {}) =>
      await startAgentProcess({
        url: fleet.broker.url,
        env: { SVC_AGENT_TOKEN: runner.token, KUBECONFIG: kubeconfig, ...env },
        settings: {
          executor: "kubernetes",
          "executor-image": "registry.example/svc-agent:1",
          "executor-pod": file,
          groups: "actions=2,deploy=2,operations=2",
          ...settings,
        },
      }),
    jobs: async () => {
      const text = await at.kubectl(["get", "jobs", "-o", "json"]);
      return (JSON.parse(text) as { items: SeenJobs }).items;
    },
  };
}
