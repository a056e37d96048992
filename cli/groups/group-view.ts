import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import type { RunnerGroup } from "../../shared/api/runner.ts";
import { formatDuration } from "../../shared/duration.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = (group: RunnerGroup): string => group.id;

const pauseText = ({ pause }: RunnerGroup): string =>
  pause === null ? "" : `${pause.note} (until ${pause.until ?? "it is resumed"})`.trim();

/** A runner group as a line of a list. */
export const groupLine: View<RunnerGroup> = {
  nameOf,
  columns: {
    ID: nameOf,
    NAME: ({ name }) => name,
    TYPE: ({ type }) => type,
    PLATFORM: ({ platform }) => platform,
    OWNER: ({ owner_type: kind, owner_id: id }) => `${kind} ${id}`.trim(),
    PAUSED: (group) => (group.pause === null ? "" : "paused"),
    AGE: ({ created_at: at }) => formatAge(at),
  },
};

/** A runner group by itself. */
export const groupDetails: View<RunnerGroup> = {
  nameOf,
  columns: {
    group: nameOf,
    name: ({ name }) => name,
    type: ({ type }) => type,
    platform: ({ platform }) => platform,
    owner: ({ owner_type: kind, owner_id: id }) => `${kind} ${id}`.trim(),
    paused: pauseText,
    runners: ({ runners }) =>
      (runners ?? []).map(({ id, name, status }) => `${id}: ${name}, ${status}`).join("\n"),
    settings: ({ settings }) => (settings === undefined ? "" : `version ${settings.version}`),
    created: ({ created_at: at }) => formatInstant(at),
  },
};

/** The settings of a group, each under its own name. */
export function settingsView(settings: RunnerSettings): View<RunnerSettings> {
  const names = Object.keys(settings) as (keyof RunnerSettings)[]; // its own keys
  return {
    nameOf: ({ runner_group_id: id }) => id,
    columns: Object.fromEntries(
      names.map((name) => [name, (read: RunnerSettings) => settingText(name, read)]),
    ),
  };
}

function settingText(name: keyof RunnerSettings, settings: RunnerSettings): string {
  if (name === "heart_beat_timeout") return formatDuration(settings.heart_beat_timeout);
  return valueText(settings[name]);
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}=${String(one)}`)
    .join("\n");
}
