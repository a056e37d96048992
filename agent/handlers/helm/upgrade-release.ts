import { z } from "zod";
import type { Change } from "../../kubernetes/change.ts";
import { deployFailure, withMoreDetail } from "../../kubernetes/deploy-failure.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { refWords } from "../../kubernetes/kube-object.ts";
import { logEvidence } from "../../kubernetes/log-evidence.ts";
import { lookForTrouble } from "../../kubernetes/look-for-trouble.ts";
import { readinessOf } from "../../kubernetes/readiness.ts";
import { awaitHopeless, podOwnersIn, podsBefore } from "./await-hopeless.ts";
import type { Chart, HelmContext } from "./helm-context.ts";
import { isMarked } from "./recover-release.ts";
import type { Revision } from "./release-records.ts";
import { deployedIn, listRevisions } from "./releases.ts";
import { rollBack } from "./roll-back.ts";
import { type HelmAnswer, helmFailure, runHelm } from "./run-helm.ts";
import { sideBySide } from "./side-by-side.ts";
import { upgradeArgs } from "./upgrade-args.ts";

const installed = z.looseObject({
  version: z.int(),
  info: z.looseObject({ status: z.string().nullish(), notes: z.string().nullish() }),
  chart: z.looseObject({
    metadata: z.looseObject({ version: z.string().nullish(), appVersion: z.string().nullish() }),
  }),
});
/** Helm's output about a release that it has installed. */
export type Installed = z.infer<typeof installed>;

/** Helm's own timeout is shorter than the job's. */
const marginMs = 120_000;

/**
 * Installs or upgrades the release and waits until it is ready. On failure the log shows what is known about it; then
 * the previous deployment is restored, or a first install is uninstalled. Throws JobFailure.
 */
export async function upgradeRelease(
  context: HelmContext,
  chart: Chart,
  {
    revisions,
    changes,
  }: {
    readonly revisions: readonly Revision[];
    readonly changes: readonly Pick<Change, "action" | "ref">[];
  },
): Promise<Installed> {
  const { run, job } = context;
  const { answer, hopeless } = await waited(context, chart, changes);
  if (answer.isGood) return installed.parse(JSON.parse(answer.out));
  const doing = `The release ${run.name} cannot be deployed`;
  if (job.signal.aborted) throw helmFailure(answer, doing);
  const why =
    hopeless === undefined
      ? helmFailure(answer, doing)
      : deployFailure(
          `${doing}: it can never become ready, and helm was asked to stop.`,
          "not_ready",
        );
  const reasons = await evidence(context, changes);
  const told = [hopeless ?? reasons[0] ?? []].flat().map((words) => `${words}.`);
  const undone = await undo(context, revisions);
  throw withMoreDetail(why, [...told, undone].join(" "));
}

type Waited = { readonly answer: HelmAnswer; readonly hopeless: string | undefined };

/** Helm waits until its timeout whatever it sees: when the rollout is hopeless, helm is told to stop. */
async function waited(
  context: HelmContext,
  chart: Chart,
  changes: readonly Pick<Change, "action" | "ref">[],
): Promise<Waited> {
  const { helm, run, job, cluster } = context;
  const timeout = `${Math.ceil(run.waitMs / 1000)}s`;
  const waits = ["--wait", "--wait-for-jobs", "--timeout", timeout, "-o", "json"];
  const [before, objects] = await sideBySide(
    podsBefore(job, cluster, run.namespace),
    podOwnersIn(context, changes),
  );
  const [ending, over] = [new AbortController(), new AbortController()];
  const look = async (): Promise<void> => {
    const words = await awaitHopeless(cluster, objects, { before, signal: over.signal });
    if (words === undefined) return;
    // After a kill, the next agent knows from this that the job was not cancelled.
    await job.once("hopeless", async () => await Promise.resolve(words));
    ending.abort();
  };
  const looking = look();
  looking.catch(() => {}); // reported below
  try {
    const answer = await runHelm(helm, {
      key: "upgrade",
      args: [...upgradeArgs(context, chart), ...waits],
      timeoutMs: run.waitMs * 3 + marginMs,
      endEarly: ending.signal,
    });
    over.abort();
    await looking;
    if (answer.isGood || job.signal.aborted) return { answer, hopeless: undefined };
    const words = await job.once("hopeless", async () => await Promise.resolve(""));
    return { answer, hopeless: words || undefined };
  } finally {
    over.abort();
  }
}

/** Logs what is not ready, and answers the reasons in short. Errors are ignored. */
async function evidence(
  { job, cluster }: HelmContext,
  changes: readonly Pick<Change, "action" | "ref">[],
): Promise<string[]> {
  const meant = changes.filter(({ action }) => action !== "delete" && action !== "keep");
  const found = await eachOf(meant, async ({ ref }) => {
    const resource = await cluster.discovery.find(ref.apiVersion, ref.kind).catch(() => undefined);
    if (resource === undefined) return [];
    const at = { ref: resource.isNamespaced ? ref : { ...ref, namespace: "" }, resource };
    const live = await cluster.get(at).catch(() => undefined);
    if (live === undefined) return [];
    const readiness = readinessOf(live);
    if (readiness.is === "ready") return [];
    const trouble = await lookForTrouble(cluster, at, live);
    await logEvidence(job, cluster, { ref: at.ref, trouble });
    return [`${refWords(at.ref)}: ${trouble.hopeless ?? trouble.words[0] ?? readiness.words}`];
  });
  return found.flat();
}

/** Undoes this job's revision. Helm creates a revision before it changes anything; one that is not this job's stays. */
async function undo(context: HelmContext, before: readonly Revision[]): Promise<string> {
  const { helm, run, job } = context;
  const timeout = ["--wait", "--timeout", `${Math.ceil(run.waitMs / 1000)}s`];
  const left = await listRevisions(context, "history/failed").catch((error: unknown) => {
    if (job.signal.aborted) throw error;
    return `What is left of it is unknown. ${(error as Error).message}`; // a refusal's, or a failure's
  });
  if (typeof left === "string") return left;
  const last = left.at(-1);
  if (last === undefined) return "Nothing of it was left.";
  if (last.revision === before.at(-1)?.revision) return "Nothing was changed.";
  if (!isMarked(last, job)) {
    return `Revision ${last.revision} is not this job's: nothing was undone.`;
  }
  const good = goodIn(left.slice(0, -1));
  const what =
    good === undefined
      ? "It was uninstalled again"
      : `It was rolled back to revision ${good.revision}`;
  job.log(
    good === undefined ? "Uninstalling the incomplete release." : "Rolling back.",
    "warn",
    "helm",
    "undo",
  );
  const back = { key: "undo", undone: last, args: ["--cleanup-on-fail", ...timeout] };
  const answer =
    good === undefined
      ? await runHelm(helm, { key: "undo", args: ["uninstall", run.name, ...timeout] })
      : await rollBack(context, { ...back, to: good });
  if (answer.isGood) return `${what}.`;
  return `It could not be undone: ${helmFailure(answer, "helm").message}`;
}

/** The revision to roll back to; after a failed rollback there may be no deployed one. */
const goodIn = (revisions: readonly Revision[]): Revision | undefined =>
  deployedIn(revisions) ?? revisions.findLast(({ status }) => status === "superseded");
