import { z } from "zod";

/** A row of `helm_charts`. */
export const helmChartRow = z.object({
  id: z.string(),
  org_id: z.string(),
  owner_id: z.string(),
  owner_type: z.string(),
  created_at: z.date(),
  created_by_id: z.string(),
});
export type HelmChartRow = z.infer<typeof helmChartRow>;

/** A row of `helm_releases` without its record, which is up to 16 MiB and sealed. */
export const helmReleaseRow = z.object({
  id: z.string(),
  org_id: z.string(),
  helm_chart_id: z.string(),
  namespace: z.string(),
  key: z.string(),
  name: z.string(),
  version: z.number(),
  status: z.string(),
  labels: z.record(z.string(), z.string()),
  key_id: z.string().nullable(),
  size_bytes: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type HelmReleaseRow = z.infer<typeof helmReleaseRow>;
