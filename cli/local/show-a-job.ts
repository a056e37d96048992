import { callRoute } from "../../shared/api/call-route.ts";
import type { Endpoint } from "../../shared/api/endpoint.ts";
import { enqueueJobRoute } from "../../shared/api/enqueue-jobs.ts";
import { formatDuration } from "../../shared/duration.ts";
import type { Caller } from "../command.ts";
import type { DevFile } from "../connection/dev-file.ts";
import { followJob } from "../jobs/follow-job.ts";
import { waitingText } from "../jobs/job-view.ts";
import { recordText } from "../logs/record-text.ts";
import type { Screen } from "../output/screen.ts";

const greet = `echo "Hello from $(uname -sn), process $$."
echo "A step is a script, a program or a git source; each line is numbered, timed and kept."
echo "Here a secret is printed: $DEMO_PASSWORD"
`;
const count = `for n in 1 2 3; do
  echo "counting $n of 3"
  sleep 0.2
done
echo "answer=42" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
echo "counted_to=3" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
`;

const plan = {
  steps: [
    { name: "greet", interpolated_inline_contents: greet },
    { name: "count", interpolated_inline_contents: count },
  ],
  secret_env_vars: { DEMO_PASSWORD: "correct-horse-battery-staple" },
};

/** The agent is starting as well: so long nothing is said of that. */
const agentStartMs = 8_000;

/** Shows the main thing done before the reader's eyes: an action, enqueued here, run by the local agent, its log live. */
export async function showAJob(dev: DevFile, screen: Screen): Promise<void> {
  const operator: Endpoint = { url: dev.url, token: dev.admin_token };
  const style = { isRaw: false, hasTimestamps: false, hasColor: screen.hasColor };
  const call: Caller = async (route, input) => await callRoute(operator, route, input);
  screen.out("\nA first job, an action of two steps, done by the agent on this machine:\n");
  const startedMs = performance.now();
  const since = (): string =>
    `${((performance.now() - startedMs) / 1000).toFixed(1).padStart(4)} s`;
  const tell = (words: string): void => screen.out(`  ${since()}  ${words}`);
  const { body: job } = await call(enqueueJobRoute, {
    params: { runner_id: dev.runner_id },
    body: { type: "actions-workflow", plan, metadata: { "shown-by": "svc dev" } },
  });
  tell(`enqueued  ${job.id}`);
  const { body: ended } = await followJob(
    {
      call,
      connection: {
        url: dev.url,
        token: dev.admin_token,
        orgId: undefined,
        runnerId: undefined,
        source: "svc dev",
      },
      patienceMs: agentStartMs,
      onRecord: async (record) => {
        tell(recordText(record, style));
        await screen.drained();
      },
      onLogLost: (why) => tell(`lost      ${why}`),
      onWaiting: ({ waiting }) => {
        if (waiting != null) tell(`waits     ${waitingText(waiting).replaceAll("\n", "; ")}`);
      },
    },
    job,
  );
  const took = ended.execution_time > 0 ? ` after ${formatDuration(ended.execution_time)}` : "";
  const why = ended.status_description === "" ? "" : `: ${ended.status_description}`;
  tell(`${ended.status}${took}${why}`);
  const outputs = Object.entries(ended.outputs ?? {}).filter(([name]) => name !== "steps");
  for (const [name, value] of outputs) tell(`output    ${name} = ${JSON.stringify(value)}`);
}
