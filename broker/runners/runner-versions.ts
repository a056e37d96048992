import type { RunnerVersions } from "../../shared/api/runner-updates.ts";
import { isVersion } from "../../shared/compare-versions.ts";

/** What the settings of a runner ask for, as they are stored. */
export type WantedVersion = {
  readonly binary_version: string;
  readonly container_image_url: string;
  readonly container_image_tag: string;
};

/** A version without the v that some write before it. */
export const plainVersion = (given: string): string => given.trim().replace(/^v/, "");

/** The image that settings ask for; empty for none. */
export function imageOf(wish: WantedVersion): string {
  const { container_image_url: url, container_image_tag: tag } = wish;
  if (url === "" || tag === "") return "";
  return `${url}${tag.startsWith("sha256:") ? "@" : ":"}${tag}`;
}

/** What runs against what is wanted. An image is compared where its tag is a version: others do not say what is in them. */
export function toRunnerVersions(running: readonly string[], wish: WantedVersion): RunnerVersions {
  const wanted = plainVersion(wish.binary_version);
  const image = imageOf(wish);
  const tag = plainVersion(wish.container_image_tag);
  const compared = wanted === "" && image !== "" && isVersion(tag) ? tag : wanted;
  const isBehind = compared !== "" && running.some((one) => plainVersion(one) !== compared);
  const runs = running.length === 0 ? "runs no known version" : `runs ${running.join(", ")}`;
  const isOpen = isBehind || running.length === 0 || compared === "";
  const wants = wanted || image;
  return {
    running: [...running],
    wanted,
    wanted_image: image,
    is_behind: isBehind,
    summary: isOpen && wants !== "" ? `${runs}, wants ${wants}` : runs,
  };
}
