import type { Handler, Job, JobResult } from "../../jobs/handler.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { type ClusterContext, openClusterContext } from "../../kubernetes/cluster-context.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { makeStoreOpener, type OpenStore } from "./make-store-opener.ts";
import { type FoundSecret, readAgain, readSecrets } from "./read-secrets.ts";
import { secretOutputs } from "./secret-outputs.ts";
import { readSecretsRun, type SecretsRun } from "./secrets-run.ts";
import { writeSecrets } from "./write-secrets.ts";

/** Secrets of a customer's own stores, copied into a cluster; their values are in no log, file or result. */
export const secrets: Handler = {
  types: ["sandbox-sync-secrets"],
  validate: (plan, info) => {
    const run = readSecretsRun(plan, info);
    return {
      needsDirectories: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) => await syncSecrets(job, run),
    };
  },
};

async function syncSecrets(job: Job, run: SecretsRun): Promise<JobResult> {
  const progress = openProgress(job);
  const openStore = makeStoreOpener(
    { env: job.agent.config.env, signal: job.signal },
    run.identities,
  );
  progress.phase("read", "in-progress");
  const found = await readSecrets(job, run, openStore);
  const there = found.filter(({ value }) => value !== undefined).length;
  progress.phase("read", "finished", `${there} of ${found.length}`);
  progress.phase("write", "in-progress");
  const written = await write(job, run, { found, openStore });
  progress.phase("write", "finished", `keys: ${written.keys}`);
  const did = run.isDry ? "keys to write" : "keys written";
  return {
    description: `Secrets found: ${there} of ${found.length}; ${did}: ${written.keys}.`,
    outputs: secretOutputs(written.found, Date.now()),
  };
}

type Read = { readonly found: FoundSecret[]; readonly openStore: OpenStore };

async function write(
  job: Job,
  run: SecretsRun,
  { found, openStore }: Read,
): Promise<{ readonly keys: number; readonly found: FoundSecret[] }> {
  const { credentials } = run;
  if (credentials === undefined || found.every(({ value }) => value === undefined))
    return { keys: 0, found };
  const context = await openClusterContext(job, credentials);
  try {
    const keys = await writeSecrets(context, run, found);
    const settled = await eachOf(
      found,
      async (one) => await settle(context, run, { one, openStore }),
    );
    return { keys, found: settled };
  } catch (error) {
    throw explainRefusal(error, "A request to the cluster");
  } finally {
    context.cluster.close();
  }
}

const mostLooks = 5;

/**
 * Who makes a value looks at it once more after writing it: of two who made one at the same time, the later value counts, and
 * whoever writes last has seen it.
 */
async function settle(
  context: ClusterContext,
  run: SecretsRun,
  { one, openStore }: { readonly one: FoundSecret; readonly openStore: OpenStore },
): Promise<FoundSecret> {
  let written = one;
  for (let look = 0; written.isNew && look < mostLooks; look += 1) {
    const newer = await readAgain(context.job, written, openStore);
    if (newer === undefined) return written;
    await writeSecrets(context, run, [newer]);
    written = newer;
  }
  if (!written.isNew) return written;
  throw deployFailure(`The value of ${one.wanted.name} does not come to rest.`, "conflict");
}
