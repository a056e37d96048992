import type { AuditEventBody } from "../../../shared/api/audit.ts";
import { testDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenRunner } from "../rows/given.ts";
import { startBroker } from "./broker.ts";

/** A broker, two orgs with a runner and an admin each, and what the audit log of the first shows. */
export async function givenAudit() {
  const { db, url } = await testDatabase();
  const broker = await startBroker({
    url,
    env: { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" },
  });
  const [mine, theirs] = [await givenRunner(db), await givenRunner(db)];
  const admin = await givenToken(db, mine);
  const stranger = await givenToken(db, { orgId: theirs.orgId });
  const orgAdmin = await givenToken(db, { orgId: mine.orgId });
  /** The newest events of the org, by a query. */
  async function events(query = "", token = orgAdmin): Promise<AuditEventBody[]> {
    await broker.broker.audit.flush();
    const { status, body } = await broker.call<{ items: AuditEventBody[] }>(
      `GET /v1/audit?limit=100${query === "" ? "" : `&${query}`}`,
      { token },
    );
    if (status !== 200) throw new Error(`the audit log answered ${status}`);
    return body.items;
  }
  return { db, url, broker, mine, theirs, runnerToken: admin, admin: orgAdmin, stranger, events };
}
