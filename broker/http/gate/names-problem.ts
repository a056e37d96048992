import type { AppContext } from "../app-types.ts";
import { requestHeader } from "./request-header.ts";

/**
 * Whether Accept names the type of RFC 9457. Our own programs have always done so, those of earlier versions too; other clients of the API
 * read JSON alone.
 */
export function namesProblem(c: AppContext): boolean {
  return named.test(requestHeader(c, "accept") ?? "");
}

/** Not where it is named to refuse it: `;q=0`. */
const named = /application\/problem\+json(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
