import {
  getHelmReleaseRoute,
  type HelmRelease,
  listHelmReleasesRoute,
} from "../../shared/api/helm-charts.ts";
import { getHelmRecordRoute } from "../../shared/api/helm-releases.ts";
import { type Command, defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import { printItem, type View } from "../output/print.ts";

const releaseLine: View<HelmRelease> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    NAMESPACE: ({ namespace }) => namespace,
    VERSION: ({ version }) => String(version),
    STATUS: ({ status }) => status,
    CHART: ({ helmChartID: chart }) => chart,
    WRITTEN: ({ updated_at: at }) => formatAge(at),
  },
};

const releaseDetails: View<HelmRelease> = {
  nameOf: ({ id }) => id,
  columns: {
    release: ({ id }) => id,
    name: ({ name, namespace }) => `${name} in ${namespace}`,
    version: ({ version }) => String(version),
    status: ({ status }) => status,
    chart: ({ helmChartID: chart }) => chart,
    key: ({ key }) => key,
    labels: ({ labels }) =>
      Object.entries(labels)
        .map(([label, value]) => `${label}=${value}`)
        .join(" "),
    size: ({ size_bytes: bytes }) => `${bytes} bytes`,
    created: ({ created_at: at }) => formatInstant(at),
    written: ({ updated_at: at }) => formatInstant(at),
  },
};

const listReleases = defineList({
  name: "release list",
  summary: "List the helm releases that the broker stores, newest first.",
  flags: {
    chart: { value: "CHART", summary: "Only this chart's." },
    name: { value: "NAME", summary: "Only the versions of this release." },
    namespace: { short: "n", value: "NAMESPACE", summary: "Only this namespace's." },
    status: { value: "STATUS", summary: "Only in this status of helm's, like deployed." },
  },
  examples: [
    {
      does: "List releases that an upgrade left pending.",
      run: "svc release list --status pending-upgrade",
    },
  ],
  view: releaseLine,
  empty:
    "No releases found. The broker stores those of helm jobs whose plan names a helm_chart_id.",
  read: async ({ flags, call, page }) => {
    const { chart: chart_id, name, namespace, status } = flags;
    return await call(listHelmReleasesRoute, {
      query: { chart_id, name, namespace, status, ...page },
    });
  },
});

const showRelease = defineCommand({
  name: "release show",
  summary: "Show a helm release, or helm's own record of it.",
  args: { release: { summary: "The release's id.", offers: "releases" } },
  flags: {
    record: { summary: "Print helm's stored record unchanged. It contains values and manifests." },
  },
  examples: [
    { does: "Show a release.", run: "svc release show hrl_…" },
    { does: "Print its manifest.", run: "svc release show hrl_… --record | jq -r .manifest" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { release_id: args.release };
    const release = await call(getHelmReleaseRoute, { params });
    if (!flags.record) return printItem(screen, release, releaseDetails);
    const { helmChartID: chart_id, namespace, key } = release.body;
    const record = await call(getHelmRecordRoute, { params: { chart_id, namespace, key } });
    screen.asIs.out(record.text);
  },
});

/** The commands of releases, in the order of help. */
export const releaseCommands: readonly Command[] = [listReleases, showRelease];
