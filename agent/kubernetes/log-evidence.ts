import type { Job } from "../jobs/handler.ts";
import type { Cluster } from "./cluster.ts";
import { type KubeObject, type ObjectRef, refWords } from "./kube-object.ts";
import type { PodInTrouble, Trouble } from "./look-for-trouble.ts";
import { warningsOf } from "./warnings-of.ts";

const mostPods = 5;
const lastLines = 20;

/**
 * Logs everything that is known about an object that is not ready: conditions, events, the last lines of containers.
 */
export async function logEvidence(
  job: Pick<Job, "log">,
  cluster: Cluster,
  { ref, trouble }: { readonly ref: ObjectRef; readonly trouble: Trouble },
): Promise<void> {
  const say = (text: string): void => job.log(`  ${text}`, "warn", "wait");
  job.log(`${refWords(ref)} is not ready:`, "warn", "wait");
  for (const words of trouble.words) say(words);
  for (const words of await warningsOf(cluster, ref)) say(words);
  for (const { pod, troubles } of trouble.pods.slice(0, mostPods)) {
    const of = { ...ref, kind: "Pod", apiVersion: "v1", name: pod.metadata.name };
    for (const words of await warningsOf(cluster, of)) say(words);
    for (const { container, hasEnded } of troubles) {
      for (const line of await linesOf(cluster, pod, { container, hasEnded })) {
        say(`${pod.metadata.name} ${container}: ${line}`);
      }
    }
  }
}

type Container = Pick<PodInTrouble["troubles"][number], "container" | "hasEnded">;

/** The last output of the previous container, else of the current one. */
async function linesOf(
  cluster: Cluster,
  { metadata: { namespace = "", name } }: KubeObject,
  { container, hasEnded }: Container,
): Promise<string[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`;
  const read = async (previous: boolean): Promise<string> =>
    await cluster
      .text(path, {
        container,
        tailLines: String(lastLines),
        limitBytes: "65536",
        ...(previous && { previous: "true" }),
      })
      .catch(() => "");
  const text = (hasEnded && (await read(true))) || (await read(false));
  return text.split("\n").filter((line) => line.trim() !== "");
}
