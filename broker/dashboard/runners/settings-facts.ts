import { html } from "hono/html";
import type { RunnerSettings } from "../../../shared/api/runner-settings.ts";
import { formatDuration } from "../../../shared/duration.ts";
import type { Html } from "../page.ts";
import { facts } from "../parts/facts.ts";

/** The settings that a runner works by, those first that operators change. */
export function settingsFacts(settings: RunnerSettings): Html {
  const parallelism = Object.entries(settings.job_group_parallelism).map(
    ([group, slots]) => `${group} ${slots}`,
  );
  return facts([
    ["Version", String(settings.version)],
    ["Job groups", settings.groups.join(", ") || "as each process says"],
    ["Parallelism", parallelism.join(", ") || "1 of each group"],
    ["Most that may wait", `${settings.job_group_max_depth.toLocaleString("en")} of a group`],
    ["Heartbeat", `every ${formatDuration(settings.heart_beat_timeout)}`],
    ["Logging", settings.enable_logging ? settings.logging_level : "off"],
    ["Sandbox mode", settings.sandbox_mode ? "on" : "off"],
    ["Binary", settings.binary_version || "–"],
    [
      "Image",
      html`<span class="id"
        >${[settings.container_image_url, settings.container_image_tag].filter((part) => part !== "").join(":") || "–"}</span
      >`,
    ],
    [
      "Longest uptime",
      settings.container_max_uptime === 0
        ? "no limit"
        : formatDuration(settings.container_max_uptime * 1e9),
    ],
  ]);
}
