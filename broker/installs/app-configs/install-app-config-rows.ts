import { installAppConfigs } from "../../../shared/api/install-app-configs.ts";
import { rowsOf } from "../../resources/rows-of.ts";

/** Which configs of its app an install had. */
export const installAppConfigRows = rowsOf(installAppConfigs, {
  from: ["install_app_configs c", "c"],
  indexedBy: "parent",
  besides: {},
});
