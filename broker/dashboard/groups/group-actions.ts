import {
  getRunnerGroupRoute,
  pauseRunnerGroupRoute,
  resumeRunnerGroupRoute,
} from "../../../shared/api/runner-groups.ts";
import type { Action, View } from "../page.ts";
import { pausingActions } from "../parts/pausing.ts";
import { changeSettings } from "./change-settings.ts";
import { groupTitle } from "./group-title.ts";

const paramsOf = (view: View) => ({ runner_group_id: view.param("runner_group_id") });

/** Everything that can be done with a group. */
export const groupActions: readonly Action[] = [
  ...pausingActions({
    path: "/groups/{runner_group_id}",
    permission: "runners.operate",
    effect:
      "No runner of the group starts a job while it is paused. Running jobs continue; new ones are accepted and wait.",
    async find(view) {
      const group = await view.ask(getRunnerGroupRoute, { params: paramsOf(view) });
      return { name: groupTitle(group), to: `/groups/${group.id}`, pause: group.pause };
    },
    pause: async (view, body) =>
      await view.ask(pauseRunnerGroupRoute, { params: paramsOf(view), body }),
    resume: async (view) =>
      await view.ask(resumeRunnerGroupRoute, { params: paramsOf(view), body: {} }),
  }),
  changeSettings,
];
