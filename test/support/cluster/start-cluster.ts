import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setInterval } from "node:timers/promises";
import { promisify } from "node:util";
import { tool } from "../../tools/find-tool.ts";
import { freePorts } from "../network/free-ports.ts";
import { patiently } from "../run/folder.ts";
import { type ClusterPlan, planCluster } from "./plan-cluster.ts";

const run = promisify(execFile);

export type StartedCluster = {
  /** Pods can be made from then on; fails with what the part that ended said last. */
  readonly ready: Promise<void>;
  /** Kills all parts and removes the folder. */
  readonly end: () => Promise<void>;
};

/** Starts etcd, the control plane and kwok with all that they keep in one folder. */
export function startCluster(folder: string): StartedCluster {
  const children = new Map<string, ChildProcess>();
  let isOver = false;
  const start = ({ program, args }: ClusterPlan["parts"][number]): void => {
    if (isOver) throw new Error("the cluster is over");
    const log = openSync(path.join(folder, `${program}.log`), "a");
    const child = spawn(tool(program), args, { cwd: folder, stdio: ["ignore", log, log] });
    children.set(program, child);
  };
  return {
    ready: startParts(folder, start, () => failIfEnded(folder, children)),
    end: async () => {
      isOver = true;
      // kube-apiserver would hold its port for up to a minute where somebody watches.
      await Promise.all([...children.values()].map(killWhole));
      await rm(folder, { ...patiently, force: true });
      process.exit();
    },
  };
}

type Start = (part: ClusterPlan["parts"][number]) => void;

async function startParts(folder: string, start: Start, check: () => void): Promise<void> {
  const plan = planCluster(folder, await freePorts(4));
  for (const [name, text] of Object.entries(plan.files)) {
    await writeFile(path.join(folder, name), text, { mode: 0o600 });
  }
  const [etcd, apiserver, ...others] = plan.parts;
  for (const part of [etcd, apiserver]) if (part !== undefined) start(part);
  const env = { ...process.env, KUBECACHEDIR: path.join(folder, "kubectl-cache") };
  const as = ["--kubeconfig", path.join(folder, "kubeconfig")];
  const ask = async (...args: string[]) => await run(tool("kubectl"), [...as, ...args], { env });
  // The server makes its certificate itself; the kubeconfig names the file.
  await until(check, async () => existsSync(path.join(folder, "certificates", "apiserver.crt")));
  await until(check, async () => await isAnswered(ask("get", "--raw", "/readyz")));
  for (const part of others) start(part);
  await ask("apply", "--filename", path.join(import.meta.dirname, "objects.yaml"));
  const account = ask("wait", "--for=create", "serviceaccount/default", "--timeout=60s");
  await Promise.all([account, ask("wait", "--for=condition=Ready", "node/node", "--timeout=60s")]);
  check();
}

/** The first part that is no more, with the last lines of its log. */
function failIfEnded(folder: string, children: ReadonlyMap<string, ChildProcess>): void {
  for (const [program, child] of children) {
    if (child.exitCode === null && child.signalCode === null) continue;
    const log = readFileSync(path.join(folder, `${program}.log`), "utf8")
      .trim()
      .split("\n");
    throw new Error(`${program} ended: ${log.slice(-3).join(" | ")}`);
  }
}

async function until(check: () => void, isSo: () => Promise<boolean>): Promise<void> {
  for await (const _ of setInterval(50)) {
    check();
    if (await isSo()) return;
  }
}

async function isAnswered(asked: Promise<unknown>): Promise<boolean> {
  return await asked.then(
    () => true,
    () => false,
  );
}

async function killWhole(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
