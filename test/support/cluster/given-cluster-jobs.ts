import { readFile } from "node:fs/promises";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { RunnerJobOperation } from "../../../shared/runner-job-types.ts";
import { type EndedJob, givenRunnerWithAgent, type RunnerWithAgent } from "../agent/given-jobs.ts";
import type { Fleet } from "../broker/given-fleet.ts";
import { givenNamespace, type Namespace } from "./given-namespace.ts";

type Deploying = {
  readonly at: Namespace;
  /** A job-deploy with these members of its plan's `job`, and these of the plan. */
  readonly draft: (job: object, more?: object, operation?: RunnerJobOperation) => Partial<NewJob>;
  readonly deploy: (
    job: object,
    more?: object,
    operation?: RunnerJobOperation,
  ) => Promise<EndedJob>;
  /** The names of what is there of the Jobs, their pods and secrets: "job.batch/…". */
  readonly left: () => Promise<string[]>;
  /** The name of the only pod, once it runs. */
  readonly running: () => Promise<string>;
};

/** A runner whose jobs run Jobs in a namespace of their own. */
export async function givenClusterJobs(
  fleet: Fleet,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunnerWithAgent & Deploying> {
  return await clusterJobsOf(await givenRunnerWithAgent(fleet, settings));
}

/** The same for an existing runner. */
export async function clusterJobsOf<S extends Omit<RunnerWithAgent, "agent">>(
  runner: S,
): Promise<S & Deploying> {
  const at = await givenNamespace();
  const kube_config = await readFile(at.kubeconfig, "utf8");
  const draft: Deploying["draft"] = (job, more = {}, operation = "exec") => ({
    type: "job-deploy",
    operation,
    plan: JSON.stringify({
      install_id: "ins_1",
      component_id: at.name,
      job: {
        cluster_info: { kube_config },
        namespace: at.name,
        image_url: "registry.example/app",
        tag: "1",
        ...job,
      },
      ...more,
    }),
  });
  return {
    ...runner,
    at,
    draft,
    deploy: async (...given) => await runner.run(draft(...given)),
    left: async () => {
      const listed = await at.kubectl(["get", "job,pod,secret", "-o", "name"]);
      return listed.split("\n").filter((name) => name !== "");
    },
    running: async () => {
      const wait = ["wait", "--for=create", "pod", "-l", "svc/job", "--timeout=100s"];
      await at.kubectl(wait);
      const ready = ["wait", "--for=jsonpath={.status.phase}=Running", "pod", "-l", "svc/job"];
      await at.kubectl([...ready, "--timeout=100s"]);
      return (await at.kubectl(["get", "pod", "-o", "jsonpath={.items[0].metadata.name}"])).trim();
    },
  };
}

/** Its pods go on until they are let end. */
export const goesOn = { annotations: { "svc.test/pod": "runs" } };
