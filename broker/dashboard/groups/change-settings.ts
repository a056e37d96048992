import { html } from "hono/html";
import type { RouteInput } from "../../../shared/api/route.ts";
import { getRunnerGroupRoute } from "../../../shared/api/runner-groups.ts";
import {
  loggingLevels,
  type RunnerSettings,
  updateRunnerGroupSettingsRoute,
} from "../../../shared/api/runner-settings.ts";
import type { RunnerGroup } from "../../../shared/api/runner.ts";
import { formatDuration } from "../../../shared/duration.ts";
import { problem } from "../../../shared/problem.ts";
import { runnerJobGroups } from "../../../shared/runner-job-types.ts";
import type { Action, Html, View } from "../page.ts";
import { choiceField, textField, wrongField } from "../parts/fields.ts";
import { groupTitle } from "./group-title.ts";

type Settings = RunnerSettings;
type Changes = RouteInput<typeof updateRunnerGroupSettingsRoute>["body"];

/** The few settings that operators change: how each is shown, and what a change of it sends. */
const members: readonly {
  readonly name: string;
  readonly label: string;
  readonly read: (settings: Settings) => string;
  readonly change: (text: string) => Changes;
  readonly values?: readonly string[];
}[] = [
  {
    name: "job_group_max_depth",
    label: "Most jobs of a group that may wait",
    read: (settings) => String(settings.job_group_max_depth),
    change: (text) => ({ job_group_max_depth: wholeNumber("job_group_max_depth", text) }),
  },
  {
    name: "heart_beat_timeout",
    label: "Time between two heartbeats (1s to 30s)",
    read: (settings) => formatDuration(settings.heart_beat_timeout),
    change: (text) => ({ heart_beat_timeout: text }),
  },
  {
    name: "logging_level",
    label: "Logging level",
    values: loggingLevels,
    read: (settings) => settings.logging_level,
    change: (text) => ({ logging_level: loggingLevels.find((one) => one === text) ?? "INFO" }),
  },
  {
    name: "binary_version",
    label: "Version of the agent",
    read: (settings) => settings.binary_version,
    change: (text) => ({ binary_version: text }),
  },
  {
    name: "container_image_tag",
    label: "Tag of the agent's image",
    read: (settings) => settings.container_image_tag,
    change: (text) => ({ container_image_tag: text }),
  },
];

/** Changes a group's settings, unless somebody else did since they were shown. */
export const changeSettings: Action = {
  path: "/groups/{runner_group_id}/settings",
  permission: "runners.write",
  async ask(view, entered) {
    const { group, settings } = await find(view);
    const shown = entered.get("version");
    const isRaced = shown !== null && shown !== String(settings.version);
    return {
      title: `Settings of ${groupTitle(group)}`,
      text: html`<p>
          Every runner of the group is told at once. Where fewer jobs fit than before, running jobs
          go on.
        </p>
        ${isRaced ? html`<p><strong>These are version ${settings.version} now; you had version ${shown}.</strong> Your entries are kept. Send them again to put them in place of what stands there now.</p>` : ""}`,
      fields: html`<input type="hidden" name="version" value="${settings.version}" />
        <fieldset>
          <legend>Jobs at once, by job group</legend>
          ${groupsOf(settings).map((name) =>
            numberOf(`parallelism-${name}`, {
              label: name,
              now: parallelismOf(settings, name),
              entered,
            }),
          )}
        </fieldset>
        ${members.map(({ name, label, read, values }) => {
          const now = read(settings);
          const hint = hintOf(now, entered.get(name));
          const field = { name, label, value: now, ...(hint && { hint }) };
          return values === undefined
            ? textField(field, entered)
            : choiceField({ ...field, values: values.map((one) => [one, one]) }, entered);
        })}`,
      button: "Save",
      back: `/groups/${group.id}`,
    };
  },
  async run(view, form) {
    const { group, settings } = await find(view);
    const version = form.get("version") ?? "";
    const params = { runner_group_id: group.id };
    const body = changesOf(settings, form);
    const headers = { "if-match": `"${version}"` };
    const made = await view.ask(updateRunnerGroupSettingsRoute, { params, body, headers });
    const said =
      made.version === Number(version)
        ? "Nothing was changed: the settings are as you entered them."
        : `Saved the settings of ${groupTitle(group)}: version ${made.version}.`;
    return { said, to: `/groups/${group.id}` };
  },
};

async function find(
  view: View,
): Promise<{ readonly group: RunnerGroup; readonly settings: Settings }> {
  const params = { runner_group_id: view.param("runner_group_id") };
  const group = await view.ask(getRunnerGroupRoute, { params });
  if (group.settings === undefined) throw problem.notFound("runner group");
  return { group, settings: group.settings };
}

/** Only what differs from what stands there, so that nothing else is written. */
function changesOf(settings: Settings, form: URLSearchParams): Changes {
  const changed = members.flatMap(({ name, read, change }) => {
    const text = form.get(name)?.trim();
    return text === undefined || text === read(settings) ? [] : [change(text)];
  });
  const parallelism = { ...settings.job_group_parallelism };
  for (const name of groupsOf(settings)) {
    const text = form.get(`parallelism-${name}`)?.trim() ?? parallelismOf(settings, name);
    if (text === parallelismOf(settings, name)) continue;
    parallelism[name] = String(wholeNumber(`parallelism-${name}`, text));
  }
  const isSame = JSON.stringify(parallelism) === JSON.stringify(settings.job_group_parallelism);
  const all = changed.reduce<Changes>((sum, change) => ({ ...sum, ...change }), {});
  return isSame ? all : { ...all, job_group_parallelism: parallelism };
}

/** The job groups that the form has a field for: those that the settings name, else the usual ones. */
function groupsOf(settings: Settings): string[] {
  const named = new Set([...settings.groups, ...Object.keys(settings.job_group_parallelism)]);
  const usual = ["sync", "build", "deploy", "sandbox", "operations", "actions"];
  return runnerJobGroups.filter((name) => name !== "" && (named.has(name) || usual.includes(name)));
}

const parallelismOf = (settings: Settings, name: string): string =>
  settings.job_group_parallelism[name] ?? "1";

function numberOf(
  name: string,
  { label, now, entered }: { label: string; now: string; entered: URLSearchParams },
): Html {
  const hint = hintOf(now, entered.get(name));
  return textField({ name, label, value: now, ...(hint && { hint }) }, entered);
}

/** What stands there, where something else was entered. */
const hintOf = (now: string, entered: string | null): string | undefined =>
  entered === null || entered.trim() === now ? undefined : `Now: ${now || "empty"}`;

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,8}$/.test(text)) return Number(text);
  throw wrongField(name, "Give a whole number.");
}
