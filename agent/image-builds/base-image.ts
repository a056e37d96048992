import { imageAddress } from "../registry/image-address.ts";
import { type Reference, readReference } from "../registry/reference.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { DockerfileFault } from "./dockerfile-fault.ts";

/** For which machines an image is. */
export type WantedPlatform = {
  readonly os: string;
  readonly architecture: string;
  readonly variant: string;
};

/** An image that a Dockerfile begins with, or copies from. */
export type BaseImage = {
  readonly reference: Reference;
  readonly platform: WantedPlatform;
  /** By which the rewritten Dockerfile and the builder's own store know it. */
  readonly name: string;
  readonly line: number;
};

const mostTag = 128;

type Named = {
  readonly image: string;
  readonly platform: WantedPlatform | undefined;
  readonly host: WantedPlatform;
  readonly line: number;
  /** The registry that may be asked without TLS, besides those on this host. */
  readonly plainHost: string | undefined;
};

/** Reads an image as a Dockerfile names it. Throws DockerfileFault. */
export function baseImage({ image, platform, host, line, plainHost }: Named): BaseImage {
  const { server, repository, tag, digest } = imageAddress(image);
  try {
    const reference = readReference({
      url: server,
      repository,
      tag: tag ?? (digest === undefined ? "latest" : undefined),
      digest,
      isPlain: server === plainHost,
    });
    const version = digest?.replace(":", "-") ?? reference.tag ?? "latest";
    const suffix =
      platform === undefined || shownPlatform(platform) === shownPlatform(host)
        ? ""
        : `-${shownPlatform(platform).replaceAll("/", "-")}`;
    const name = `${server}/${repository}:${version.slice(0, mostTag - suffix.length)}${suffix}`;
    return { reference, platform: platform ?? host, name, line };
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error;
    throw new DockerfileFault(
      "config_invalid",
      `the image ${shown(image)}: ${error.message}`,
      line,
    );
  }
}

/** `linux/arm64/v8` */
export function shownPlatform({ os, architecture, variant }: WantedPlatform): string {
  return [os, architecture, variant].filter(Boolean).join("/");
}

/** Reads a platform as it is shown; undefined for anything else. */
export function readPlatform(text: string): WantedPlatform | undefined {
  const [, os = "", architecture = "", variant = ""] =
    /^([a-z0-9]+)\/([a-z0-9_]+)(?:\/([a-z0-9]+))?$/.exec(text) ?? [];
  return os === "" ? undefined : { os, architecture, variant };
}

const architectures: Readonly<Record<string, string>> = {
  x64: "amd64",
  arm64: "arm64",
  arm: "arm",
  ia32: "386",
  ppc64: "ppc64le",
  riscv64: "riscv64",
  s390x: "s390x",
};

/** The platform of a host whose Node says so of its processor. */
export function platformOf(arch: string): WantedPlatform {
  return { os: "linux", architecture: architectures[arch] ?? arch, variant: "" };
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 200));
