import type { RunnerSettings } from "../../shared/api/runner-settings.ts";

const tagShape = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestShape = /^sha256:[0-9a-f]{64}$/;

/** The image that the runner's settings ask for; empty for none. */
export function wantedImage({
  container_image_url: url,
  container_image_tag: tag,
}: Pick<RunnerSettings, "container_image_url" | "container_image_tag">): string {
  if (url === "" || tag === "") return "";
  return tag.startsWith("sha256:") ? `${url}@${tag}` : `${url}:${tag}`;
}

/** The image that a plan or a job's metadata asks for; empty for none. */
export function namedImage({ image }: Readonly<Record<string, unknown>>): string {
  return typeof image === "string" ? image.trim() : "";
}

/** Why this host does not run an image; undefined when its repository is allowed. */
export function imageFault(image: string, allowed: readonly string[]): string | undefined {
  const at = image.indexOf("@");
  const colon = image.lastIndexOf(":");
  const isTag = colon > image.lastIndexOf("/");
  const name = at >= 0 ? image.slice(0, at) : isTag ? image.slice(0, colon) : image;
  const rest = at >= 0 ? image.slice(at + 1) : isTag ? image.slice(colon + 1) : "";
  const isExact = at >= 0 ? digestShape.test(rest) : tagShape.test(rest);
  if (!isExact) return `${image} is not an image with a tag or a digest.`;
  if (allowed.includes(name)) return undefined;
  return `Images of ${name} are not allowed on this host: its owner lists repositories in mng-images.`;
}
