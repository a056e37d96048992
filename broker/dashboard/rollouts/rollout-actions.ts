import { html } from "hono/html";
import { cancelRolloutRoute, createRolloutRoute, rollouts } from "../../../shared/api/rollouts.ts";
import { getRunnerGroupRoute } from "../../../shared/api/runner-groups.ts";
import { type ShutdownType, shutdownTypes } from "../../../shared/api/runner-process-shutdown.ts";
import { rolloutProgress } from "../../../shared/rollout-progress.ts";
import { groupTitle } from "../groups/group-title.ts";
import type { Action, Html, View } from "../page.ts";
import { choiceField, requireTyped, textField, wrongField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";
import { deadlineField, deadlineOf, reasonField, reasonOf } from "../runners/order-runner.ts";
import { isOpenRollout } from "./rollout-table.ts";

const kinds = [
  ["restart", "Restart after their running jobs"],
  ["graceful", "Shut down after their running jobs"],
  ["force", "Stop now: what they run fails, and is never retried"],
] as const satisfies (readonly [ShutdownType, string])[];
const lasts = [
  ["no", "Leave it: it is skipped"],
  ["yes", "Order it too: the runner takes no jobs for a while"],
] as const;

const startFields = (entered: URLSearchParams, word: string): Html => html`
  ${choiceField({ name: "type", label: "What", values: kinds }, entered)}
  ${textField({ name: "max_at_once", label: "Processes at once", value: "1", hint: "1 to 1000." }, entered)}
  ${choiceField({ name: "include_last", label: "The last live process of a runner", values: lasts }, entered)}
  ${deadlineField(entered)}${reasonField(entered)}
  ${textField({ name: "typed", label: "Only to stop them now", hint: `Type ${word}.` }, entered)}
`;

const effect =
  "Processes that are live now are ordered, a few at a time, never two of one runner at once. Each restart is waited for. After the first failure no further process is ordered.";

async function start(
  view: View,
  form: URLSearchParams,
  scope: { readonly of: object; readonly word: string },
) {
  const type = shutdownTypes.find((one) => one === form.get("type"));
  if (type === undefined) throw wrongField("type", "Choose what they are told.");
  if (type === "force") requireTyped(form, scope.word);
  const body = {
    ...scope.of,
    type,
    max_at_once: numberIn(form.get("max_at_once") ?? "1"),
    include_last: form.get("include_last") === "yes",
    ...(type === "force" ? {} : deadlineOf(form)),
    ...reasonOf(form),
  };
  const made = await view.ask(createRolloutRoute, { body });
  const to = `/rollouts/${made.id}`;
  const said = `Began to order processes (${made.type}), ${made.max_at_once} at a time.`;
  return { said, to, undo: { label: "Call it off", action: `${to}/cancel` } };
}

/** NaN would be sent as null, which is as if it were left out. */
function numberIn(text: string): number {
  if (/^\d{1,8}$/.test(text)) return Number(text);
  throw wrongField("max_at_once", "Must be a whole number.");
}

const ofGroup: Action = {
  path: "/groups/{runner_group_id}/rollout",
  permission: "runners.operate",
  async ask(view, entered) {
    const params = { runner_group_id: view.param("runner_group_id") };
    const group = await view.ask(getRunnerGroupRoute, { params });
    return {
      title: `Order all processes of ${groupTitle(group)}`,
      text: effect,
      fields: startFields(entered, groupTitle(group)),
      button: "Begin the rollout",
      isDangerous: true,
      back: `/groups/${group.id}`,
    };
  },
  async run(view, form) {
    const params = { runner_group_id: view.param("runner_group_id") };
    const group = await view.ask(getRunnerGroupRoute, { params });
    const scope = { of: { runner_group_id: group.id }, word: groupTitle(group) };
    return await start(view, form, scope);
  },
};

const ofOrg: Action = {
  path: "/org/rollout",
  permission: "runners.operate",
  ask: (_, entered) =>
    Promise.resolve({
      title: "Order all processes of all groups",
      text: effect,
      fields: startFields(entered, "all"),
      button: "Begin the rollout",
      isDangerous: true,
      back: "/rollouts",
    }),
  run: async (view, form) => await start(view, form, { of: { whole_org: true }, word: "all" }),
};

const cancel: Action = {
  path: "/rollouts/{rollout_id}/cancel",
  permission: "runners.operate",
  async ask(view) {
    const params = { rollout_id: view.param("rollout_id") };
    const rollout = await view.ask(rollouts.get, { params });
    if (!isOpenRollout(rollout)) throw notNow(`This rollout is over: ${rollout.status}.`);
    return {
      title: "Call the rollout off",
      text: `${rolloutProgress(rollout)}. No further process is ordered. What was ordered before still ends.`,
      button: "Call it off",
      isDangerous: true,
      back: `/rollouts/${rollout.id}`,
    };
  },
  async run(view) {
    const params = { rollout_id: view.param("rollout_id") };
    const rollout = await view.ask(cancelRolloutRoute, { params });
    return { said: "Called off: no further process is ordered.", to: `/rollouts/${rollout.id}` };
  },
};

/** Orders to many processes: begun for a group or for all, and called off. */
export const rolloutActions: readonly Action[] = [ofOrg, ofGroup, cancel];
