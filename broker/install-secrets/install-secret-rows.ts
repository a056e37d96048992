import { installSecrets } from "../../shared/api/install-secrets.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** Where secrets of installs are, never their values. */
export const installSecretRows = rowsOf(installSecrets, {
  from: ["install_secrets s", "s"],
  besides: {},
});
