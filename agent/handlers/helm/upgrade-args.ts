import type { Chart, HelmContext } from "./helm-context.ts";
import { markLabels } from "./recover-release.ts";

/** What helm is told to install or upgrade the release, whether it only renders it or not. */
export function upgradeArgs({ run, job }: HelmContext, chart: Chart): string[] {
  return [
    "upgrade",
    run.name,
    chart.folder,
    "--install",
    // Without it helm takes the last release's values where the plan gives none.
    "--reset-values",
    "--labels",
    markLabels(job.info.id, job.executionId),
    ...chart.valuesArgs,
    ...(run.createsNamespace ? ["--create-namespace"] : []),
    ...(run.takesOwnership ? ["--take-ownership"] : []),
    ...(run.skipsCrds ? ["--skip-crds"] : []),
    ...(run.isForced ? ["--force-conflicts"] : []),
  ];
}
