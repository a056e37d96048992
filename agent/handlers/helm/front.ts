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

/** What stands between helm and the cluster of a job, and keeps its releases at the broker. */
export type Front = {
  /** What leads the call of helm that has this key there, when it is there. Throws JobFailure. */
  readonly reach: (key: string) => Promise<Reached>;
  readonly close: () => Promise<void>;
};

export type Reached = {
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when no front is any more where this helm looks for it. */
  readonly gone: AbortSignal;
};

type Means = Pick<HelmRun, "chartId" | "namespace"> & { readonly token: string };
type Env = Readonly<Record<string, string>>;
type Order = Omit<FrontOrder, "kubeconfig" | "place">;

/** It outlives a stop, until helm has written down how it ended: longer than helm has for that. */
const stop = { signal: "SIGTERM", to: "leader", graceMs: 120_000 } as const;
const mostFronts = 20;
const bornWithinMs = 60_000;
const lookMs = 20;
/** Of a helm that has ended meanwhile its end is heard within that. */
const heardWithinMs = 2_000;

/**
 * Starts it as a child of its own, beside helm: when the agent is killed both go on, and the next agent adopts both. One
 * that is killed itself is followed by another at the same address, and helm goes on; where somebody else has taken that
 * by then, who cannot show its certificate, helm is told to stop. `env` is what helm finds, and leads to the cluster.
 * Throws JobFailure.
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
    const words = "What keeps helm's releases at the broker ends again and again.";
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
      // A helm that a killed agent began looks where the front was by then.
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

/** Whoever needs it is told how it failed. */
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
  /** Where it listens. */
  readonly server: string;
  readonly ended: Promise<CommandEnd>;
  readonly end: () => Promise<void>;
};
type Starting = { readonly order: Order; readonly env: Env; readonly nth: number };

/** Nothing where this one, of a former process of the agent's perhaps, has ended. */
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
      const words = "What keeps helm's releases at the broker does not come up.";
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
  // Helm names it when it complains.
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
