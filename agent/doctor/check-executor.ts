import { openOwnCluster } from "../executor/own-cluster.ts";
import { readPodTemplate } from "../executor/pod-template.ts";
import { executorRights, listDenied, rightWords } from "../executor/rights.ts";
import { type DoctorContext, failed, type Found, leftOut, ok } from "./finding.ts";

/** Whether jobs can run in pods: the settings, and the rights in the cluster. */
export async function checkExecutor({ config, patienceMs }: DoctorContext): Promise<Found> {
  if (config.executor === "host") return leftOut("The agent runs jobs itself (executor host).");
  if (config.executorImage === undefined) {
    return failed("executor-image is missing.", "Give the image of the agent itself.");
  }
  const over = AbortSignal.timeout(patienceMs);
  const own = await openOwnCluster(config, over);
  try {
    await readPodTemplate(config.executorPod);
    const denied = await listDenied(own, executorRights(config.executorName));
    const where = `namespace ${own.namespace}`;
    if (denied.length === 0) return ok(`The agent can run jobs as pods in ${where}.`);
    return failed(
      `In ${where} the agent may not: ${denied.map(rightWords).join(", ")}.`,
      "Bind a role that grants these, as deploy/chart does.",
    );
  } finally {
    own.cluster.close();
  }
}
