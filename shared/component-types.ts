/** The types of components in answers, and `unknown` for one that no config in force has. */
export const componentTypes = [
  "docker_build",
  "external_image",
  "helm_chart",
  "job",
  "kubernetes_manifest",
  "pulumi",
  "terraform_module",
  "unknown",
] as const;
export type ComponentType = (typeof componentTypes)[number];

/** The type by the word that a file has for it, where the config has the component. */
export function componentTypeOf(word: unknown): ComponentType {
  if (word === "container_image") return "external_image";
  return componentTypes.find((type) => type === word) ?? "unknown";
}
