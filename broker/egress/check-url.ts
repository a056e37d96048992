import type { EgressMode } from "./egress-settings.ts";
import { findHostBlock } from "./find-block.ts";

/** A URL that may be called, or why not: a code of a problem and a sentence, which never repeats the URL's path or query. */
export type UrlCheck =
  | { readonly isOk: true; readonly url: URL }
  | {
      readonly isOk: false;
      readonly code: "invalid_url" | "blocked_address";
      readonly detail: string;
    };

const mostLength = 2048;

/**
 * Whether an org may file this URL for calls: an absolute http or https URL with a host, without user name, password and
 * fragment, whose host is no address that the mode blocks. What a name resolves to is checked at each call instead.
 */
export function checkUrl(text: string, mode: EgressMode): UrlCheck {
  if (text.length > mostLength) return invalid(`The URL has more than ${mostLength} characters.`);
  // The URL parser would drop control characters and take backslashes for slashes: others may read the URL differently.
  if (/[\s\\\p{Cc}]/u.test(text)) {
    return invalid("The URL must not contain spaces, control characters or backslashes.");
  }
  if (!/^https?:\/\/[^/?#]/i.test(text) || !URL.canParse(text)) {
    return invalid("Must be an absolute http or https URL with a host.");
  }
  const url = new URL(text);
  if (/^[^/]+\/\/[^/?#]*@/.test(text)) {
    return invalid("The URL must not contain a user name or a password.");
  }
  if (url.href.includes("#")) return invalid("The URL must not contain a fragment (#…).");
  const block = findHostBlock(url.hostname, mode);
  if (block === undefined) return { isOk: true, url };
  return {
    isOk: false,
    code: "blocked_address",
    detail: `Calls to ${url.hostname} are not allowed: ${block}.`,
  };
}

function invalid(detail: string): UrlCheck {
  return { isOk: false, code: "invalid_url", detail };
}
