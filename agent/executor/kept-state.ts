import path from "node:path";
import { pause } from "../client/pause.ts";
import { secretAt } from "../cluster-jobs/cluster-job.ts";
import { ExitError } from "../exit-error.ts";
import { writeDurably, readIfExists } from "../files/atomic-file.ts";
import { isRefusal } from "../kubernetes/api-refusal.ts";
import { objectPath } from "../kubernetes/discovery.ts";
import type { LocalContext, KeptState } from "../local-context.ts";
import type { Log } from "../log.ts";
import type { ExecutorLease } from "./executor-lease.ts";
import { exitFor, type OwnCluster } from "./own-cluster.ts";

/** The files of the data directory that identify the agent: its process with the secret, and an enrolled token. */
const files = ["process.json", "enrolled.json"] as const;
const againMs = 5_000;

/**
 * Copies the agent's identity from a Secret of the cluster into the data directory, if that has none, and answers how
 * to keep the Secret up to date: then a start anywhere in the cluster is the same process again. Throws an ExitError
 * before a one-time token is used whose result could not be kept.
 */
export async function openKeptState(
  own: OwnCluster,
  { config, log }: Pick<LocalContext, "config" | "log">,
  isHeld: ExecutorLease["isHeld"],
): Promise<KeptState> {
  const { dataDir, executorName } = config;
  const name = `${executorName}-state`;
  const cannotBe = (what: string) => (error: unknown) => {
    const words = `The Secret ${own.namespace}/${name}, in which the agent keeps its identity, cannot be ${what}`;
    throw new ExitError(exitFor(error), `${words}: ${(error as Error).message}`, error);
  };
  const found = await find(own, name).catch(cannotBe("read"));
  for (const file of files) {
    const kept = found?.[file];
    const place = path.join(dataDir, file);
    if (kept && (await readIfExists(place)) === "") {
      await writeDurably(place, Buffer.from(kept, "base64").toString("utf8"));
    }
  }
  const begun = await readAll(dataDir);
  await write(own, name, begun).catch(cannotBe("written"));
  let last = JSON.stringify(begun);
  let isRepeating = false;
  const keepOnce = async (): Promise<void> => {
    const data = await readAll(dataDir);
    const text = JSON.stringify(data);
    if (text === last) return;
    if (!(await isHeld())) throw new Error("another agent may have its executor-name by now");
    await write(own, name, data);
    last = text;
  };
  const repeat = async (): Promise<void> => {
    isRepeating = true;
    for (;;) {
      await pause(againMs);
      if (await tryTo(keepOnce, log)) break;
    }
    isRepeating = false;
  };
  return {
    keep: async () => {
      if (!(await tryTo(keepOnce, log)) && !isRepeating) void repeat();
    },
    untilKept: async (signal) => {
      while (!(await tryTo(keepOnce, log))) {
        await pause(againMs, signal);
        if (signal.aborted) return false;
      }
      return true;
    },
  };
}

async function tryTo(act: () => Promise<void>, log: Log): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    log.warn({ err: error }, "failed to keep the agent's identity in the cluster; trying again");
    return false;
  }
}

type Data = Readonly<Record<string, string>>;

async function find({ cluster, namespace }: OwnCluster, name: string): Promise<Data | undefined> {
  const live = await cluster.get(secretAt(namespace, name));
  return live === undefined ? undefined : ((live["data"] ?? {}) as Data); // Secrets have that form
}

async function write({ api, cluster, namespace }: OwnCluster, name: string, data: Data) {
  const at = secretAt(namespace, name);
  const labels = { "app.kubernetes.io/managed-by": "svc-agent" };
  const metadata = { name, namespace, labels };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, data };
  const patch = {
    method: "PATCH",
    path: objectPath(at.resource, at.ref),
    contentType: "application/merge-patch+json",
    body: { data },
  } as const;
  try {
    await api.call(patch);
  } catch (error) {
    if (!isRefusal(error, 404)) throw error;
    await cluster.create(at, secret);
  }
}

/** Every file in base64, as in a Secret; an empty text for a missing file. */
async function readAll(dataDir: string): Promise<Data> {
  const texts = await Promise.all(
    files.map(async (file) => [file, await readIfExists(path.join(dataDir, file))] as const),
  );
  return Object.fromEntries(
    texts.map(([file, text]) => [file, Buffer.from(text, "utf8").toString("base64")]),
  );
}
