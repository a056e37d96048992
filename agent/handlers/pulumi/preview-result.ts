import { gzipSync } from "node:zlib";
import type { JobResult } from "../../jobs/handler.ts";
import { redactedJson } from "../../jobs/redacted-json.ts";
import { digestOf, isChange } from "./engine-events.ts";
import type { Preview } from "./make-preview.ts";
import { packEnvelope, planDigest, plannedSteps } from "./plan-envelope.ts";
import type { PulumiContext } from "./pulumi-context.ts";
import { pulumiFailure } from "./pulumi-failure.ts";
import type { PulumiRun } from "./pulumi-run.ts";
import { closing, withoutSecrets } from "./render-steps.ts";

/** The apply job's plan has it as base64, beside its own members, and may have 16 MiB. */
const mostPlanBytes = 10 * 2 ** 20;
const mostDisplayBytes = 30 * 2 ** 20;

/** The result of a planning job: what is handed to the apply, and what people and programs need to approve it. */
export function previewResult(context: PulumiContext, preview: Preview): JobResult {
  const { job, run, version, project, revision, stateRevision } = context;
  const { events, counts, hasChanges, display, savedPlan } = preview;
  const bytes = packEnvelope({
    pulumi_version: version,
    project: project.name,
    stack: run.stackName,
    destroy: run.isDestroy,
    state_revision: stateRevision,
    source_revision: revision,
    config_sha256: configDigest(run),
    steps: plannedSteps(events.steps),
    display,
    saved_plan: savedPlan,
  });
  const shown = gzipSync(redactedJson(job, shownPlan(preview)));
  if (bytes.length > mostPlanBytes || shown.length > mostDisplayBytes) {
    throw pulumiFailure(
      "The plan is too large: the limit is 10 MiB, compressed. Divide the stack into smaller ones.",
      { class: "too_large" },
    );
  }
  job.log(display, "info", "diff", "diff");
  const summary = {
    tool: "pulumi",
    pulumi_version: version,
    has_changes: hasChanges,
    ...counts,
    destroys: run.isDestroy,
    plan_sha256: planDigest(bytes),
    source_revision: revision || null,
    state_revision: stateRevision,
  };
  return {
    description: closing(hasChanges, counts),
    result: {
      contents: JSON.stringify(summary),
      contents_display: display,
      contents_compressed: bytes.toString("base64"),
      contents_display_compressed: shown.toString("base64"),
    },
  };
}

/** Tells configs of a stack apart. */
export function configDigest({ config }: PulumiRun): string {
  return digestOf(Object.entries(config).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function shownPlan({ events, counts }: Preview): object {
  const changes = events.steps.filter(({ op }) => isChange(op));
  return {
    tool: "pulumi",
    counts,
    steps: changes.map(({ op, urn, before, after }) => ({
      op,
      urn,
      type: urn.split("::")[2] ?? "",
      before: withoutSecrets(before),
      after: withoutSecrets(after),
    })),
  };
}
