import type { HelmChart, HelmRelease } from "../../shared/api/helm-charts.ts";
import type { HelmChartRow, HelmReleaseRow } from "./row.ts";

/** A release as the API shows it. */
export function toHelmRelease(row: HelmReleaseRow): HelmRelease {
  return {
    id: row.id,
    org_id: row.org_id,
    helmChartID: row.helm_chart_id,
    key: row.key,
    name: row.name,
    namespace: row.namespace,
    owner: "helm",
    status: row.status,
    type: "helm.sh/release.v1",
    version: row.version,
    labels: row.labels,
    size_bytes: row.size_bytes,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** A chart as the API shows it, with those of these releases that are its own. */
export function toHelmChart(row: HelmChartRow, releases: readonly HelmReleaseRow[]): HelmChart {
  const { id, org_id, owner_id, owner_type, created_by_id } = row;
  return {
    id,
    org_id,
    owner_id,
    owner_type,
    created_at: row.created_at.toISOString(),
    created_by_id,
    helmReleases: releases.filter((one) => one.helm_chart_id === id).map(toHelmRelease),
  };
}
