import { installRoleUsages } from "../../shared/api/install-role-usages.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** As whom jobs of installs run. */
export const roleUsageRows = rowsOf(installRoleUsages, {
  from: ["install_role_usages u", "u"],
  indexedBy: "parent",
  besides: {
    install_role_id: "''",
    role_selection_trace: "u.trace",
    updated_at: "u.created_at",
  },
});
