import type { Broker } from "../broker.ts";
import { enrol } from "../routes/open/enrol.ts";
import { createAccount } from "../routes/operator/create-account.ts";
import { createEnrolmentToken } from "../routes/operator/create-enrolment-token.ts";
import { createOrg } from "../routes/operator/create-org.ts";
import { createToken } from "../routes/operator/create-token.ts";
import { listRoles } from "../routes/operator/list-roles.ts";
import { readAccounts } from "../routes/operator/read-accounts.ts";
import { readOrgs } from "../routes/operator/read-orgs.ts";
import { readTokens } from "../routes/operator/read-tokens.ts";
import { removeAccount } from "../routes/operator/remove-account.ts";
import { revokeToken } from "../routes/operator/revoke-token.ts";
import { rotateToken } from "../routes/operator/rotate-token.ts";
import { setAccountRoles } from "../routes/operator/set-account-roles.ts";
import { updateCurrentOrg } from "../routes/operator/update-current-org.ts";
import type { App, Door } from "./app-types.ts";

/** Every route there is, grouped by who calls it. */
const doors: readonly Door[] = [
  // Anyone
  enrol,

  // Operators: who may do what
  listRoles,
  createOrg,
  readOrgs,
  updateCurrentOrg,
  createAccount,
  readAccounts,
  setAccountRoles,
  removeAccount,
  createToken,
  readTokens,
  revokeToken,
  rotateToken,
  createEnrolmentToken,
];

/** Opens all routes on the app. */
export function openAllRoutes(app: App, broker: Broker): void {
  for (const open of doors) open(app, broker);
}
