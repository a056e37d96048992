import type { Outputs } from "../../jobs/handler.ts";
import { valuesAt } from "../../kubernetes/values-at.ts";
import type { Chart, HelmContext } from "./helm-context.ts";
import type { Installed } from "./upgrade-release.ts";

/** The outputs of a job about the release that it has deployed. */
export async function releaseOutputs(
  context: HelmContext,
  chart: Chart,
  { version, info, chart: { metadata } }: Installed,
): Promise<Outputs> {
  const { run, cluster, job } = context;
  const fields: Record<string, unknown> = {};
  for (const { output, apiVersion, kind, name, path } of run.fields) {
    const resource = await cluster.discovery.find(apiVersion, kind);
    const namespace = resource?.isNamespaced === false ? "" : run.namespace;
    const ref = { apiVersion, kind, namespace, name };
    const live = resource && (await cluster.get({ ref, resource }));
    // A value from a Secret must not be readable elsewhere.
    const found = kind === "Secret" ? [] : valuesAt(live, path);
    if (found.length === 0) {
      job.log(
        `The output ${output} has no value: ${kind} ${name} has no ${path}.`,
        "warn",
        "outputs",
      );
    } else fields[output] = found.length === 1 ? found[0] : found;
  }
  return {
    ...fields,
    revision: version,
    status: info.status ?? "",
    notes: info.notes ?? "",
    chart_version: metadata.version ?? "",
    app_version: metadata.appVersion ?? "",
    chart_digest: chart.revision,
    namespace: run.namespace,
  };
}
