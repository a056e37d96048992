import { appSecrets } from "../../shared/api/app-secrets.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** Secrets of apps, never their values. */
export const appSecretRows = rowsOf(appSecrets, { from: ["app_secrets s", "s"], besides: {} });
