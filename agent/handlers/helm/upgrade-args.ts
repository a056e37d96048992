import type { Chart, HelmContext } from "./helm-context.ts";
import { markLabels } from "./recover-release.ts";

/** Helm's arguments to install or upgrade the release, or only to render it. */
export function upgradeArgs({ run, job }: HelmContext, chart: Chart): string[] {
  return [
    "upgrade",
    run.name,
    chart.folder,
    "--install",
    // Without it, helm reuses the values of the last release when the plan has none.
    "--reset-values",
    "--labels",
    markLabels(job.info.id, job.executionId),
    ...chart.valuesArgs,
    ...(run.createsNamespace ? ["--create-namespace"] : []),
    ...(run.takesOwnership ? ["--take-ownership"] : []),
    ...(run.skipsCrds ? ["--skip-crds"] : []),
    // Of a release that an older helm made, helm refuses the one without the other.
    ...(run.isForced ? ["--force-conflicts", "--server-side=true"] : []),
  ];
}
