import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";

type Component = NonNullable<AppConfigDocument["components"]>[number];

/** What is planned against what is there; an image is copied, and a job runs anew each time. */
const planned: readonly string[] = [
  "terraform_module",
  "helm_chart",
  "kubernetes_manifest",
  "pulumi",
];

/** Whether the component is looked at for drift by a schedule of its own. */
export const looksForDrift = (
  component: Component,
): component is Component & { readonly drift_schedule: string } =>
  component.drift_schedule !== undefined && planned.includes(component.type);
