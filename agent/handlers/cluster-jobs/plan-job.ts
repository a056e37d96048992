import { gzipSync } from "node:zlib";
import { jobAt } from "../../cluster-jobs/cluster-job.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { redactedJson } from "../../jobs/redacted-json.ts";
import { keyedDigest, newKey } from "../../kubernetes/keyed-digest.ts";
import { refWords } from "../../kubernetes/kube-object.ts";
import type { JobDeployContext } from "./job-deploy-context.ts";
import { renderJob, whatIsRun, whatIsTornDown } from "./render-job.ts";
import { listOwn } from "./tear-down-jobs.ts";

/** The Job that would be created; a dry run shows whether the cluster accepts it. Throws ApiRefusal. */
export async function planJob(context: JobDeployContext): Promise<JobResult> {
  const { job, run, cluster, namespace } = context;
  const wanted = renderJob(run, namespace, job);
  const { name } = wanted.metadata;
  await cluster.create(jobAt(namespace, name), wanted, true);
  const text = shownJob(job, wanted);
  return contents(job, { op: "apply", what: whatIsRun(run, context), counts: { create: 1 }, text });
}

/** The existing Jobs of the component. */
export async function planTeardown(context: JobDeployContext): Promise<JobResult> {
  const found = await listOwn(context);
  const lines = found.map(({ at }) => `- ${refWords(at.ref)} (delete)`);
  const what = whatIsTornDown(context.run, context);
  const counts = { delete: found.length };
  return contents(context.job, { op: "teardown", what, counts, text: lines.join("\n") });
}

/** A Job as text for people, without secrets. */
export function shownJob(job: Pick<Job, "redact" | "redactJson">, wanted: object): string {
  return redactedJson(job, wanted, 2);
}

type Contents = {
  readonly op: "apply" | "teardown";
  /** Everything that is approved. */
  readonly what: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly text: string;
};

const mostLines = 500;

function contents(job: Job, { op, what, counts, text }: Contents): JobResult {
  for (const [at, line] of text.split("\n").slice(0, mostLines).entries()) {
    if (line !== "") job.log(line, "info", "plan", `plan ${at}`);
  }
  const key = newKey();
  const fingerprint = keyedDigest(what, key);
  const shown = { version: 1, op, fingerprint, counts, plan: text, content_diff: [] };
  const words = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return {
    description: `The plan: ${words.join(", ")}.`,
    outputs: { counts, fingerprint },
    result: {
      contents_compressed: packed({ ...shown, key }),
      contents_display_compressed: packed(shown),
    },
  };
}

const packed = (value: object): string => gzipSync(JSON.stringify(value)).toString("base64");
