/** An image as people write it: `nginx`, `ghcr.io/acme/app:v1`, `acme/app@sha256:…`. */
export type ImageAddress = {
  readonly server: string;
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
};

/**
 * Reads where an image is: on the server that it names, or on the one that is given, or else on Docker's, whose own images
 * are below `library`.
 */
export function imageAddress(image: string, given?: string): ImageAddress {
  const [named = "", digest] = image.replace(/^(?:docker|oci|https?):\/\//, "").split("@");
  const tag = /:([^/:]*)$/.exec(named.slice(named.lastIndexOf("/") + 1))?.[1];
  const first = named.includes("/") ? (named.split("/")[0] ?? "") : "";
  const isServer = /[.:]/.test(first) || first === "localhost";
  const path = withoutTag(named, tag);
  const server = isServer ? first : given || "docker.io";
  const repository = isServer ? path.slice(first.length + 1) : path;
  const isDockers = server === "docker.io" && !repository.includes("/");
  return { server, repository: isDockers ? `library/${repository}` : repository, tag, digest };
}

const withoutTag = (named: string, tag: string | undefined): string =>
  tag === undefined ? named : named.slice(0, -tag.length - 1);
