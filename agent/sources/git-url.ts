import { type JobFailure, invalidPlan } from "../jobs/job-failure.ts";

/** A source's URL without the credentials that were in it. */
export type GitUrl = {
  readonly url: string;
  /** Whom credentials are for: none that is not asked over HTTP. */
  readonly origin?: string;
  readonly username?: string;
  readonly password?: string;
};

/**
 * Takes credentials out of a URL: nobody sees them in a list of processes, a remote or a log. Throws JobFailure, which
 * does not repeat the URL, when it cannot be read.
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
