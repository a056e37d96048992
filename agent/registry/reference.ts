import { RegistryFault } from "./registry-fault.ts";

/** An artifact in a registry. */
export type Reference = {
  /** `https://ghcr.io`. */
  readonly origin: string;
  readonly repository: string;
  /** A tag, or a digest. */
  readonly tag: string | undefined;
  readonly digest: string | undefined;
};

/** The location of an artifact, as a plan gives it. */
export type ArtifactLocation = {
  /** `oci://ghcr.io/acme/app:v1`, or a registry's address with or without a repository. */
  readonly url: string;
  readonly repository?: string | undefined;
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
  /** Whether it may be contacted without TLS; a registry on this host always may. */
  readonly isPlain?: boolean | undefined;
};

const namePattern =
  /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;
/** What people call the registry that Docker asks. */
const dockers: ReadonlySet<string> = new Set(["docker.io", "index.docker.io"]);
const loopback = /^(?:localhost|127\.[0-9.]+|\[::1\])(?::\d+)?$/;

/** Parses the location of an artifact. Throws RegistryFault that says what is wrong. */
export function readReference(place: ArtifactLocation): Reference {
  const [, scheme = "", rest = ""] = /^(?:(https?|oci):\/\/)?(.*)$/s.exec(place.url) ?? [];
  const [named = "", ...names] = rest.replace(/\/+$/, "").split("/");
  const host = dockers.has(named) ? "registry-1.docker.io" : named;
  const { name, tag, digest } = split([...names, place.repository ?? ""].filter(Boolean).join("/"));
  const isPlain = scheme === "http" || place.isPlain === true || loopback.test(host);
  const reference = {
    origin: `${isPlain ? "http" : "https"}://${host}`,
    repository: name,
    tag: place.tag ?? tag,
    digest: place.digest ?? digest,
  };
  if (
    !/^[\w.-]+(?::\d+)?$|^\[[0-9a-f:]+\](?::\d+)?$/i.test(host) ||
    !URL.canParse(reference.origin)
  ) {
    throw wrong("its registry is invalid: use a name like ghcr.io or registry.example.com:5000");
  }
  if (scheme === "http" && place.isPlain !== true && !loopback.test(host)) {
    throw wrong("its registry has no TLS: set plain_http to allow that");
  }
  if (!namePattern.test(name)) throw wrong("its repository is invalid: use a name like acme/app");
  assertNamed(reference);
  return reference;
}

function assertNamed({ tag, digest }: Reference): void {
  if (tag === undefined && digest === undefined) throw wrong("a tag or a digest is required");
  if (tag !== undefined && !tagPattern.test(tag)) throw wrong("its tag is invalid");
  if (digest !== undefined && !digestPattern.test(digest)) {
    throw wrong("its digest is invalid: use sha256: and 64 hexadecimal digits");
  }
}

/** `acme/app:v1@sha256:…` */
function split(text: string): {
  name: string;
  tag: string | undefined;
  digest: string | undefined;
} {
  const [named = "", digest] = text.split("@");
  const [, name = named, tag] = /^(.*?):([^/]*)$/.exec(named) ?? [];
  return { name, tag, digest };
}

function wrong(words: string): RegistryFault {
  return new RegistryFault("not_found", words);
}

/** A reference, for people. */
export function shownReference({ origin, repository, tag, digest }: Reference): string {
  const host = origin.replace(/^https?:\/\//, "");
  return `${host}/${repository}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}
