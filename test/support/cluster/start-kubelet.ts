import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { pause } from "../../../agent/client/pause.ts";
import { pods, secretAt } from "../../../agent/cluster-jobs/cluster-job.ts";
import { readConfig } from "../../../agent/config/read-config.ts";
import { openOwnCluster, type OwnCluster } from "../../../agent/executor/own-cluster.ts";
import type { KubeObject } from "../../../agent/kubernetes/kube-object.ts";
import { agentProgram, compileCache } from "../programs/present-programs.ts";
import { testFolder } from "../run/folder.ts";
import type { Namespace } from "./given-namespace.ts";
import { killWithin } from "./kill-within.ts";
import { valuesOf, type Variable } from "./pod-variables.ts";

/** A pod whose container runs as a process of this machine. */
export type RunPod = {
  readonly name: string;
  readonly child: ChildProcess;
  /** What it printed, both ways. */
  readonly printed: () => string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type Kubelet = {
  /** Every pod that was begun, in order. */
  readonly begun: readonly RunPod[];
  /** Kills a container as the kernel does for want of memory. */
  readonly killForMemory: (pod: RunPod) => void;
  /** Lets new pods wait, as a node with too much to do would. */
  readonly hold: (isHeld: boolean) => void;
};

/**
 * Stands in for a kubelet, as kwok runs no containers: pods of the namespace with the annotation svc.test/pod: real that
 * the scheduler has placed. The first container's arguments are run by the agent's own program as a process of this
 * machine, with the container's environment and nothing else; the files of its Secrets are written to a folder and
 * emptyDirs are folders, whose paths stand in place of the container's. It tells the pod's status, ends it at its deletion by
 * SIGTERM, its grace and SIGKILL, and deletes it then. It pulls no images and knows no cgroups, users or networks.
 */
export async function startKubelet(at: Namespace): Promise<Kubelet> {
  const over = new AbortController();
  const own = await openOwnCluster(readConfig({}, { KUBECONFIG: at.kubeconfig }), over.signal);
  const folder = await testFolder(0o700);
  const known = new Map<string, Running>();
  const killedForMemory = new Set<ChildProcess>();
  const begun: RunPod[] = [];
  let isHeld = false;

  async function look(): Promise<void> {
    const listed = await own.cluster.list(pods, at.name);
    const there = new Set(listed.map(({ metadata }) => metadata.uid));
    for (const [uid, { run }] of known) if (!there.has(uid)) run.child.kill("SIGKILL");
    for (const pod of listed) {
      if (pod.metadata.annotations?.["svc.test/pod"] !== "real") continue;
      const running = known.get(pod.metadata.uid ?? "");
      if (running === undefined && !isHeld) await begin(pod);
      if (running === undefined) continue;
      end(pod, running);
      await say(pod, running);
      if (running.isTold && running.said === "ended") await remove(own, pod);
    }
  }

  /** Whatever was not taken is said again. */
  async function say(pod: KubeObject, running: Running): Promise<void> {
    const { child } = running.run;
    const spec = pod["spec"] as PodSpec;
    const isOver = child.exitCode !== null || child.signalCode !== null;
    const said = isOver ? "ended" : "running";
    if (running.said === said) return;
    const isOom = killedForMemory.has(child);
    await tell(own, pod, isOver ? endedStatus(spec, child, isOom) : runningStatus(spec));
    running.said = said;
  }

  async function begin(pod: KubeObject): Promise<void> {
    const { uid = "", deletionTimestamp } = pod.metadata;
    const spec = pod["spec"] as PodSpec; // as the API server has taken it
    if (deletionTimestamp !== undefined) return await remove(own, pod);
    if (spec.nodeName === undefined || statusOf(pod).phase !== "Pending") return;
    const place = path.join(folder, uid);
    const mounts = await mount(own, spec, place);
    if (mounts === undefined) return; // its Secret is not there yet
    const run = start(pod.metadata.name, spec, {
      mounts,
      given: await valuesOf(own, spec.containers[0].env),
    });
    begun.push(run);
    // What its first process leaves behind holds its output open.
    run.child.once("exit", () => killWithin(place));
    const running = { run, ended: once(run.child, "close"), isTold: false, said: "" };
    known.set(uid, running);
    await say(pod, running);
  }

  function end(pod: KubeObject, running: Running): void {
    if (pod.metadata.deletionTimestamp === undefined || running.isTold) return;
    running.isTold = true;
    const seconds = Number(pod.metadata["deletionGracePeriodSeconds"] ?? 30);
    running.run.child.kill("SIGTERM");
    const done = new AbortController();
    void pause(seconds * 1000, done.signal).then(() => running.run.child.kill("SIGKILL"));
    void running.ended.then(() => done.abort());
  }

  const loop = (async () => {
    while (!over.signal.aborted) {
      await look().catch(() => {}); // the server may be busy; it looks again
      await pause(100, over.signal);
    }
  })();
  onTestFinished(async () => {
    over.abort();
    for (const { run } of known.values()) run.child.kill("SIGKILL");
    await loop;
    await Promise.all([...known.values()].map(({ ended }) => ended));
    own.cluster.close();
  });
  return {
    begun,
    hold: (held) => void (isHeld = held),
    killForMemory({ child }) {
      killedForMemory.add(child);
      child.kill("SIGKILL");
    },
  };
}

type Running = {
  readonly run: RunPod;
  readonly ended: Promise<unknown>;
  isTold: boolean;
  said: string;
};
type Container = {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly Variable[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
};
type PodSpec = {
  readonly nodeName?: string;
  readonly containers: readonly [Container];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string; readonly items?: readonly { key: string }[] };
    readonly emptyDir?: object;
  }[];
};
/** Path in the container → path here. */
type Mounts = ReadonlyMap<string, string>;

async function mount(
  { cluster, namespace }: OwnCluster,
  { containers: [container], volumes }: PodSpec,
  place: string,
): Promise<Mounts | undefined> {
  const mounts = new Map<string, string>();
  for (const { name, mountPath } of container.volumeMounts) {
    const volume = volumes.find((one) => one.name === name);
    if (volume?.secret === undefined && volume?.emptyDir === undefined) continue;
    const here = path.join(place, name);
    await mkdir(here, { recursive: true, mode: 0o700 });
    mounts.set(mountPath, here);
    if (volume.secret === undefined) continue;
    const found = await cluster.get(secretAt(namespace, volume.secret.secretName));
    if (found === undefined) return undefined;
    const { items } = volume.secret;
    for (const [file, text] of Object.entries(found["data"] as Record<string, string>)) {
      if (items !== undefined && !items.some(({ key }) => key === file)) continue;
      await writeFile(path.join(here, file), Buffer.from(text, "base64"), { mode: 0o600 });
    }
  }
  return mounts;
}

/** The program of the image is this checkout's; the folders in memory are this test's. */
function start(
  name: string,
  { containers: [container] }: PodSpec,
  { mounts, given }: { readonly mounts: Mounts; readonly given: Readonly<Record<string, string>> },
): RunPod {
  const here = (text: string): string => {
    for (const [inside, outside] of mounts) {
      if (text === inside || text.startsWith(`${inside}/`))
        return outside + text.slice(inside.length);
    }
    return text;
  };
  const values = Object.entries(given).map(([key, value]) => [key, here(value)] as const);
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: compileCache,
    ...Object.fromEntries(values),
  };
  const args = container.args.map(here);
  const runDir = mounts.get("/dev/shm") ?? "";
  const child = spawn(process.execPath, [agentProgram, ...args, "--run-dir", runDir], { env });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes: Buffer) => (printed += bytes.toString()));
  }
  return { name, child, args, env, printed: () => printed };
}

const statusOf = (pod: KubeObject) => (pod["status"] ?? {}) as { readonly phase?: string };

function runningStatus({ containers: [{ name, image }] }: PodSpec): object {
  const running = { startedAt: new Date().toISOString() };
  const status = { name, image, imageID: image, ready: true, restartCount: 0, state: { running } };
  return { phase: "Running", startTime: running.startedAt, containerStatuses: [status] };
}

function endedStatus(
  { containers: [{ name, image }] }: PodSpec,
  { exitCode, signalCode }: ChildProcess,
  isOom: boolean,
): object {
  const code = exitCode ?? (signalCode === "SIGTERM" ? 143 : 137);
  const reason = isOom ? "OOMKilled" : code === 0 ? "Completed" : "Error";
  const at = new Date().toISOString();
  const terminated = { exitCode: code, reason, startedAt: at, finishedAt: at };
  const state = { terminated };
  const status = { name, image, imageID: image, ready: false, restartCount: 0, state };
  return { phase: code === 0 ? "Succeeded" : "Failed", containerStatuses: [status] };
}

async function tell({ api, namespace }: OwnCluster, pod: KubeObject, status: object) {
  await api.text({
    method: "PATCH",
    path: `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/status`,
    contentType: "application/strategic-merge-patch+json",
    body: { status },
  });
}

/** As a kubelet does when nothing of it runs any more. */
async function remove({ api, namespace }: OwnCluster, { metadata }: KubeObject): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}`;
  const body = { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } };
  await api.text({ method: "DELETE", path, body });
}
