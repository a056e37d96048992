import type { InstallConfig } from "../../shared/api/install-config.ts";
import { changeInstallConfigRoute } from "../../shared/api/install-configs.ts";
import { defineCommand } from "../command.ts";
import { formatInstant } from "../output/format-age.ts";
import { printItem, type View } from "../output/print.ts";
import { findInstall, installArgs as args } from "./find-install.ts";

const configDetails: View<InstallConfig> = {
  nameOf: ({ id }) => id,
  columns: {
    config: ({ id }) => id,
    approval: ({ approval_option: option }) => option,
    components: ({ component_toggles: toggles }) =>
      Object.entries(toggles)
        .map(([name, isOn]) => `${name} ${isOn ? "on" : "off"}`)
        .join("\n"),
    changed: ({ updated_at }) => formatInstant(updated_at),
  },
};

export const installSettings = defineCommand({
  name: "install settings",
  summary: "Show or change the settings in which an install differs from its app's defaults.",
  args,
  flags: {
    approval: {
      value: "OPTION",
      choices: ["prompt", "approve-all", "default"],
      summary: "Whether approvals are asked for (default: as the app says).",
    },
    enable: {
      value: "COMPONENT",
      isRepeatable: true,
      summary: "Enable a component that installs may leave out.",
    },
    disable: { value: "COMPONENT", isRepeatable: true, summary: "Leave one out." },
  },
  examples: [
    { does: "Show them.", run: "svc install settings acme" },
    { does: "Ask for no approvals.", run: "svc install settings acme --approval approve-all" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { body: install } = await findInstall(call, args.install);
    const { approval, enable, disable } = flags;
    const { install_config: config } = install;
    const toggles = {
      ...Object.fromEntries(enable.map((name) => [name, true])),
      ...Object.fromEntries(disable.map((name) => [name, false])),
    };
    const changes = {
      ...(approval !== undefined && {
        approval_option: approval === "default" ? null : approval,
      }),
      ...(Object.keys(toggles).length > 0 && {
        component_toggles: { ...config.component_toggles, ...toggles },
      }),
    };
    if (Object.keys(changes).length === 0) {
      printItem(screen, { text: JSON.stringify(config), body: config }, configDetails);
      return;
    }
    const params = { install_id: install.id, install_config_id: config.id };
    const made = await call(changeInstallConfigRoute, { params, body: changes });
    printItem(screen, made, configDetails);
  },
});
