import { registryLogins } from "../../shared/api/registry-logins.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** Logins of orgs to registries that have users of their own, never their passwords. */
export const registryLoginRows = rowsOf(registryLogins, {
  from: ["registry_fixed_logins f", "f"],
  besides: {},
});
