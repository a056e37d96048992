import { type Block, type EgressRules, findTargetBlock, targetOf } from "./egress-rules.ts";

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
 * fragment, whose host is no address that the rules block. What a name resolves to is checked at each call instead.
 */
export function checkUrl(text: string, rules: EgressRules): UrlCheck {
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
  const block = findTargetBlock(rules, targetOf(url));
  if (block === undefined) return { isOk: true, url };
  const detail = `Calls to ${url.hostname} are not allowed: ${block.reason}. ${block.advice}`;
  return { isOk: false, code: "blocked_address", detail };
}

/** What is said of a name that has such an address. The address itself is not told: names of internal networks are not everybody's business. */
export function blockedName(hostname: string, { reason, advice }: Block): string {
  return `${hostname} has an address to which calls are not allowed: ${reason}. ${advice}`;
}

function invalid(detail: string): UrlCheck {
  return { isOk: false, code: "invalid_url", detail };
}
