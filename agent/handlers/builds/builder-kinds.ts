/** What makes an artifact of a source. */
export type BuilderName = "module" | "chart" | "manifest" | "program" | "image";

/** The builders whose artifact is an archive. */
export type PackedBuilderName = Exclude<BuilderName, "image">;

/** The builder of each job type. */
export const builderKinds: Readonly<Record<string, BuilderName>> = {
  "terraform-module-build": "module",
  "sandbox-build": "module",
  "helm-chart-build": "chart",
  "kubernetes-manifest-build": "manifest",
  "pulumi-build": "program",
  "docker-build": "image",
};
