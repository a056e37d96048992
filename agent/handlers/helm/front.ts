import path from "node:path";
import { Unanswered } from "../../client/broker-errors.ts";
import { https } from "../../client/node-http.ts";
import { pause } from "../../client/pause.ts";
import { send } from "../../client/send.ts";
import { ownPaths } from "../../helm-front/front-door.ts";
import type { FrontOrder } from "../../helm-front/front-order.ts";
import { readJobText, writeJobFile } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import { findCluster } from "../../kubernetes/cluster-access.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { inlineOr } from "../../kubernetes/kube-login.ts";
import type { HelmRun } from "./helm-run.ts";

/** The proxy between helm and the cluster of a job, which keeps its releases at the broker. */
export type Front = {
  /**
   * The environment that makes the helm call with this key use the proxy, once the proxy listens. Throws JobFailure.
   */
  readonly reach: (key: string) => Promise<Reached>;
  readonly close: () => Promise<void>;
};

export type Reached = {
  readonly env: Readonly<Record<string, string>>;
  /** Aborts when no front listens any more where this helm looks for it. */
  readonly gone: AbortSignal;
};

type Means = Pick<HelmRun, "chartId" | "namespace"> & { readonly token: string };
type Env = Readonly<Record<string, string>>;
type Order = Omit<FrontOrder, "kubeconfig" | "place">;

/** It keeps running after a stop until helm has recorded how it ended: longer than helm may take for that. */
const stop = { signal: "SIGTERM", to: "leader", graceMs: 120_000 } as const;
const mostFronts = 20;
const bornWithinMs = 60_000;
const lookMs = 20;
/** If helm has ended meanwhile, its end is known within this time. */
const heardWithinMs = 2_000;

/**
 * Starts the front as a child beside helm: when the agent is killed both continue, and the next agent adopts both. A
 * front that is killed is replaced by another at the same address, and helm continues; if another program without the
 * front's certificate has taken that port, helm is told to stop. `env` makes helm use the front. Throws JobFailure.
 */
export async function openFront(job: Job, means: Means, env: Env): Promise<Front> {
  const order = await orderFor(job, means, env);
  let nth = 0;
  let gone = new AbortController();
  const closing = new AbortController();
  const start = async (): Promise<Started> => {
    while (nth < mostFronts && !closing.signal.aborted) {
      nth += 1;
      const started = await startFront(job, { order, env, nth });
      if (started === undefined) continue;
      void started.ended.then(
        () => follow(started),
        () => {},
      );
      return started;
    }
    const words = "The proxy that keeps helm's releases at the broker ends again and again.";
    throw deployFailure(words, "network");
  };
  const another = async (before: Started): Promise<Started> => {
    const after = await start().catch((error: unknown) => {
      gone.abort();
      throw error;
    });
    if (after.server !== before.server) {
      gone.abort();
      gone = new AbortController();
    }
    return after;
  };
  const follow = (before: Started): void => {
    if (!closing.signal.aborted && !job.signal.aborted) current = toldLater(another(before));
  };
  let current = toldLater(start());
  return {
    reach: async (key) => {
      const { kubeconfig, server } = await current;
      const { port } = new URL(server);
      // A helm process that a killed agent started uses the front's address of that time.
      const begunAt = await job.once(`helm-front/${key}`, async () => await Promise.resolve(port));
      const env = { KUBECONFIG: kubeconfig };
      return { env, gone: begunAt === port ? gone.signal : AbortSignal.timeout(heardWithinMs) };
    },
    close: async () => {
      closing.abort();
      await (await current.catch(() => undefined))?.end();
    },
  };
}

/** A rejection is handled where the front is used. */
function toldLater<T>(coming: Promise<T>): Promise<T> {
  coming.catch(() => {});
  return coming;
}

async function orderFor(job: Job, { chartId, namespace, token }: Means, env: Env): Promise<Order> {
  const { server, tls, proxyEnv, user, read } = await findCluster(job, env);
  const [cert, key] = await Promise.all([
    inlineOr(user["client-certificate-data"], user["client-certificate"], read),
    inlineOr(user["client-key-data"], user["client-key"], read),
  ]);
  const url = job.agent.config.brokerUrl ?? "";
  return {
    namespace,
    broker: { url, token, chartId },
    cluster: {
      server,
      tls,
      proxyEnv: { ...proxyEnv },
      user: {
        ...user,
        "client-certificate": undefined,
        "client-certificate-data": inBase64(cert),
        "client-key": undefined,
        "client-key-data": inBase64(key),
      },
    },
  };
}

const inBase64 = (text: string | undefined): string | undefined =>
  text && Buffer.from(text).toString("base64");

type Started = {
  readonly kubeconfig: string;
  /** The address at which it listens. */
  readonly server: string;
  readonly ended: Promise<CommandEnd>;
  readonly end: () => Promise<void>;
};
type Starting = { readonly order: Order; readonly env: Env; readonly nth: number };

/** Undefined when the front, which an earlier process of the agent may have started, has ended. */
async function startFront(job: Job, { order, env, nth }: Starting): Promise<Started | undefined> {
  const { secrets, owner, workspace } = job.directories;
  const file = path.join(secrets, `helm-front-${nth}.json`);
  const kubeconfig = path.join(secrets, "helm-front.kubeconfig");
  const place = path.join(secrets, "helm-front.place");
  await writeJobFile(file, JSON.stringify({ ...order, kubeconfig, place }), owner);
  let isOver = false;
  const ended = job
    .run({
      key: `helm-front/${nth}`,
      step: "helm",
      argv: ["svc-agent", "helm-front", file],
      cwd: workspace,
      env: {
        ...env,
        ...job.agent.networkEnv,
        PATH: job.agent.config.env["PATH"] ?? "",
        NODE_USE_ENV_PROXY: "1",
      },
      stop,
    })
    .finally(() => (isOver = true));
  const giveUpAtMs = Date.now() + bornWithinMs;
  for (;;) {
    const at = await serverIn(job, kubeconfig);
    if (at !== undefined && (await isAnswered(at, ownPaths.alive))) {
      return {
        kubeconfig,
        server: at.server.href,
        ended,
        end: async () => await endFront(at, ended),
      };
    }
    if (isOver) return (await ended) && undefined;
    if (Date.now() > giveUpAtMs) {
      const words = "The proxy that keeps helm's releases at the broker does not start.";
      throw deployFailure(words, "network");
    }
    await pause(lookMs);
  }
}

async function endFront(at: FrontAddress, ended: Promise<CommandEnd>): Promise<void> {
  await isAnswered(at, ownPaths.end);
  await Promise.race([ended, pause(5_000)]).catch(() => {});
}

const mostKubeconfigBytes = 2 ** 16;
type FrontAddress = { readonly server: URL; readonly ca: string };

async function serverIn(job: Job, kubeconfig: string): Promise<FrontAddress | undefined> {
  const text = await readJobText(kubeconfig, job.directories.owner, mostKubeconfigBytes);
  const [server, secret] = /https:\/\/127\.0\.0\.1:\d+\/([0-9a-f]{48})/.exec(text) ?? [];
  const [, ca] = /"certificate-authority-data":"([^"]+)"/.exec(text) ?? [];
  if (server === undefined || secret === undefined || ca === undefined) return undefined;
  // Helm names this file in its errors.
  job.addSecret(secret);
  return { server: new URL(server), ca: Buffer.from(ca, "base64").toString() };
}

async function isAnswered({ server, ca }: FrontAddress, at: string): Promise<boolean> {
  const agent = new https.Agent({ ca });
  const transport = { origin: server, agent, close: () => agent.destroy() };
  try {
    const sending = { method: "GET", path: at, headers: {}, timeoutMs: 30_000 };
    return (await send(transport, sending)).status === 204;
  } catch (error) {
    if (error instanceof Unanswered) return false;
    throw error;
  } finally {
    transport.close();
  }
}
