import { type JobFailure, invalidPlan } from "../jobs/job-failure.ts";

/** A source's URL, separated from its credentials. */
export type GitUrl = {
  readonly url: string;
  /** The server that the credentials are for; undefined for other protocols than HTTP. */
  readonly origin?: string;
  readonly username?: string;
  readonly password?: string;
};

/**
 * Removes credentials from a URL, so that they do not appear in process lists, remotes or logs. Throws JobFailure that
 * does not quote the URL when it is invalid.
 */
export function readGitUrl(given: string): GitUrl {
  if (!/^https?:/i.test(given)) return { url: given };
  if (!URL.canParse(given)) throw unfit("is not a valid URL: write special characters as %40");
  const url = new URL(given);
  const [username, password] = [decoded(url.username), decoded(url.password)];
  url.username = "";
  url.password = "";
  const { href, origin } = url;
  if (username === "" && password === "") return { url: href, origin };
  if (password === "") return { url: href, origin, password: username };
  return { url: href, origin, username, password };
}

/** The server by which ssh reaches a repository, or, of a URL of HTTP, the one of that name; an empty host for other URLs. */
export function sshServerOf(url: string): { readonly host: string; readonly port: number } {
  const [, ofScp] = /^[\w.-]+@([\w.-]+):/.exec(url) ?? [];
  if (ofScp !== undefined) return { host: ofScp, port: usualPort };
  if (!/^(?:ssh|https?):\/\//i.test(url) || !URL.canParse(url))
    return { host: "", port: usualPort };
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: protocol === "ssh:" && port !== "" ? Number(port) : usualPort };
}

const usualPort = 22;

/** A repository that ssh reaches, at the same server; other addresses stay as they are. */
export function overHttps(url: string): string {
  const [, host, path] =
    /^(?:ssh:\/\/)(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^[\w.-]+@([\w.-]+):(.+)$/.exec(url) ??
    [];
  return host === undefined || path === undefined ? url : `https://${host}/${path}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unfit("has an invalid % escape in its user or password: write % as %25");
  }
}

function unfit(words: string): JobFailure {
  return invalidPlan(`the url of a git_source ${words}`);
}
