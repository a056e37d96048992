import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { sumDocuments } from "./queries.ts";

/** So long may the configs be, all together, of which one answer tells. */
const mostListedBytes = 32 * 1024 * 1024;

/** Refuses with 422 to list what configs say that are too long for one answer. */
export async function requireListable(db: Db, org: OrgId, ids: readonly string[]): Promise<void> {
  if (ids.length < 2 || (await sumDocuments(db, org, ids)) <= mostListedBytes) return;
  const detail = `The configs of these are longer than ${mostListedBytes} bytes together: ask for fewer.`;
  throw problem.invalid([{ pointer: "?limit", code: "too_large", detail }]);
}
