import { pauseRunnerRoute, resumeRunnerRoute } from "../../shared/api/runners.ts";
import { definePauses } from "../define-pauses.ts";
import { runnerDetails } from "./runner-view.ts";

export const { pause: pauseRunner, resume: resumeRunner } = definePauses({
  noun: "runner",
  argument: { summary: "The runner's id.", offers: "runners" },
  view: runnerDetails,
  pause: {
    summary: "Pause a runner: it gets no jobs; running jobs continue.",
    example: {
      does: "Pause for maintenance.",
      run: 'svc runner pause run_… --until 30m --note "new disk"',
    },
    send: (call, id, body) => call(pauseRunnerRoute, { params: { runner_id: id }, body }),
  },
  resume: {
    summary: "Resume a paused runner.",
    example: { does: "Resume the runner.", run: "svc runner resume run_…" },
    send: (call, id, body) => call(resumeRunnerRoute, { params: { runner_id: id }, body }),
  },
});
