import { installConfigs } from "../../../shared/api/install-config.ts";
import { rowsOf } from "../../resources/rows-of.ts";

/** Configs of installs; the newest of an install is in force. */
export const installConfigRows = rowsOf(installConfigs, {
  from: ["install_configs c", "c"],
  indexedBy: "parent",
  hasVersion: true,
  besides: { approval_option: "coalesce(c.approval_option, 'prompt')" },
});
