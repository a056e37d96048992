import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import path from "node:path";
import { pause } from "../client/pause.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { writeDurably, readIfExists } from "../files/atomic-file.ts";
import { isRefusal } from "../kubernetes/api-refusal.ts";
import type { Located } from "../kubernetes/cluster.ts";
import type { Log } from "../log.ts";
import {
  changeLease,
  freed,
  isAsOf,
  isOf,
  leaseAt,
  makeLease,
  readLease,
  renewed,
  setTo,
} from "./lease-object.ts";
import { exitFor, type OwnCluster } from "./own-cluster.ts";
import { rightWords } from "./rights.ts";

/** The Lease that lets one agent only use an executor-name in a namespace. */
export type ExecutorLease = {
  /** Whether this agent holds it; asks the cluster when the last renewal is too old. */
  readonly isHeld: () => Promise<boolean>;
  /**
   * Why no new job may start: the last renewal is too old, and another agent may hold the Lease by now. Undefined
   * while it is held.
   */
  readonly problem: () => string | undefined;
  /** Gives the Lease up, so that the next start need not wait until it expires. */
  readonly release: () => Promise<void>;
};

export type LeaseParts = {
  readonly own: OwnCluster;
  readonly config: Pick<AgentConfig, "executorName" | "dataDir">;
  readonly log: Log;
  /** Aborts the wait for the Lease. */
  readonly leaving: AbortSignal;
  /** Called with a message when another agent has taken the Lease, because this one did not renew it in time. */
  readonly onLost: (words: string) => void;
};

/** A holder that has not renewed the Lease for this long counts as dead. */
const durationS = 10;
const durationMs = durationS * 1000;
const renewEveryMs = 3_000;
const lookEveryMs = 500;
const releaseWithinMs = 2_000;

/**
 * Takes the Lease of the executor's name and keeps renewing it. A Lease that another agent holds is watched: a holder
 * that does not renew it is dead; one that renews it twice is alive, and an ExitError says so.
 */
export async function takeLease(context: LeaseParts): Promise<ExecutorLease> {
  const { own, config, log, onLost } = context;
  const at = leaseAt(own.namespace, config.executorName);
  const holder = `${hostname()}/${await ownId(config.dataDir)}`;
  await take(context, at, holder);
  const over = new AbortController();
  let heldAtMs = performance.now();
  const isFresh = (): boolean => performance.now() - heldAtMs < durationMs;

  async function renew(): Promise<void> {
    const askedAtMs = performance.now();
    try {
      const isOurs =
        (await changeLease(own, at, [isOf(holder), renewed()])) ||
        (await makeLease(own, at, ours(holder))); // somebody has deleted it
      if (isOurs) heldAtMs = askedAtMs;
      else if (!over.signal.aborted) lose();
    } catch (err) {
      if (!over.signal.aborted)
        log.warn({ err }, "the executor's Lease could not be renewed; trying again");
    }
  }
  function lose(): void {
    over.abort();
    heldAtMs = Number.NEGATIVE_INFINITY;
    const { executorName: name } = config;
    onLost(`another agent took over the executor-name ${name}: give one of them another name`);
  }
  const repeat = async (): Promise<void> => {
    for (;;) {
      await pause(renewEveryMs, over.signal);
      if (over.signal.aborted) return;
      await renew();
    }
  };
  void repeat();
  return {
    problem: () => (isFresh() ? undefined : unrenewed(at)),
    isHeld: async () => {
      if (!isFresh() && !over.signal.aborted) await renew();
      return isFresh();
    },
    release: async () => {
      if (over.signal.aborted) return;
      over.abort();
      const released = changeLease(own, at, [isOf(holder), freed]).catch(() => {}); // it expires by itself
      await Promise.race([released, pause(releaseWithinMs)]);
    },
  };
}

const unrenewed = ({ ref: { namespace, name } }: Located): string =>
  `the Lease ${namespace}/${name} cannot be renewed: check the agent's connection to the cluster, and its rights`;

const ours = (holderIdentity: string) => ({ holderIdentity, leaseDurationSeconds: durationS });

/**
 * One change does not prove that the holder is alive: it may be the last one before it was killed, or somebody else's.
 */
type Watched = {
  readonly version: string;
  readonly sinceMs: number;
  readonly isChanged: boolean;
};

async function take(context: LeaseParts, at: Located, holder: string): Promise<void> {
  const { own, log, leaving } = context;
  let watched: Watched | undefined;
  for (;;) {
    const live = await asked("get", at, () => own.cluster.get(at));
    if (live === undefined) {
      if (await asked("create", at, () => makeLease(own, at, ours(holder)))) return;
      continue;
    }
    const lease = readLease(live);
    const isNobodys = lease.holder === "" || lease.holder === holder;
    const isDead =
      watched?.version === lease.version &&
      performance.now() - watched.sinceMs >= Math.max(durationS, lease.durationS) * 1000;
    if (isNobodys || isDead) {
      const to = [setTo("holderIdentity", holder), setTo("leaseDurationSeconds", durationS)];
      const steps = [isAsOf(lease.version), ...to, renewed()];
      if (await asked("patch", at, () => changeLease(own, at, steps))) return;
      continue;
    }
    if (watched?.version !== lease.version) {
      if (watched?.isChanged === true) throw alive(at, lease.holder);
      const words =
        "another agent has this executor-name; waiting to see whether it is still running";
      if (watched === undefined) log.info({ holder: lease.holder }, words);
      const isChanged = watched !== undefined;
      watched = { version: lease.version, sinceMs: performance.now(), isChanged };
    }
    await pause(lookEveryMs, leaving);
    if (leaving.aborted)
      throw new ExitError("done", "The agent was stopped while it was starting.");
  }
}

const saidOf = { get: "read", create: "created", patch: "changed" } as const;

/** Throws an ExitError when the cluster refuses; it names the missing right. */
async function asked<T>(verb: keyof typeof saidOf, at: Located, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { namespace, name } = at.ref;
    const on = verb === "create" ? {} : { name };
    const right = rightWords({ verb, group: "coordination.k8s.io", resource: "leases", ...on });
    const next = isRefusal(error, 403)
      ? `Grant the agent the right to ${right} in the namespace ${namespace}.`
      : "Check that the agent can reach the cluster, and that the namespace exists.";
    const words = `The Lease ${namespace}/${name}, which keeps two agents from using one executor-name, cannot be ${saidOf[verb]}`;
    const why = (error as Error).message.replace(/\.$/, "");
    throw new ExitError(exitFor(error), `${words}: ${why}. ${next}`, error);
  }
}

function alive({ ref: { namespace, name } }: Located, holder: string): ExitError {
  const words = `Another agent (${holder}) already uses the executor-name ${name} in namespace ${namespace}`;
  return new ExitError("config", `${words}. Stop it, or set another executor-name for this one.`);
}

/** The holder's id, kept in the data directory: an agent that starts there again is the same holder. */
async function ownId(dataDir: string): Promise<string> {
  const file = path.join(dataDir, "executor-holder");
  const known = await readIfExists(file);
  if (known !== "") return known;
  const made = randomUUID();
  await writeDurably(file, made);
  return made;
}
