import { randomBytes } from "node:crypto";
import { createEnrolmentTokenRoute } from "../../shared/api/enrolment.ts";
import { createRunnerGroupRoute, deleteRunnerGroupRoute } from "../../shared/api/runner-groups.ts";
import { createRunnerRoute } from "../../shared/api/runners.ts";
import { runnerGroupTypes, runnerPlatforms } from "../../shared/runner-platforms.ts";
import { type Caller, defineCommand } from "../command.ts";
import { readPairs } from "../flags/read-flags.ts";
import { showNewRunner } from "./show-enrolment.ts";

type GroupFlags = {
  readonly type: (typeof runnerGroupTypes)[number] | undefined;
  readonly platform: (typeof runnerPlatforms)[number] | undefined;
  readonly parallelism: readonly string[];
};

export const createRunner = defineCommand({
  name: "runner create",
  summary: "Create a runner and a one-time token for its agent.",
  details: "The token can be used once, within an hour. It is shown only once.",
  flags: {
    name: { value: "NAME", summary: "Its name, unique in the org (default: generated)." },
    "display-name": { value: "TEXT", summary: "A display name." },
    group: { value: "GROUP", offers: "groups", summary: "Its runner group (default: a new one)." },
    type: {
      value: "TYPE",
      choices: runnerGroupTypes,
      summary: "The new group's type (default install).",
    },
    platform: { value: "PLATFORM", choices: runnerPlatforms, summary: "Where the new group runs." },
    parallelism: {
      value: "GROUP=N",
      isRepeatable: true,
      summary: "How many jobs of a job group run at once in the new group (default 1).",
    },
  },
  examples: [
    {
      does: "Create a runner in a group of its own.",
      run: "svc runner create --name acme-production",
    },
    {
      does: "Print only the token, for a script.",
      run: "svc runner create --group rgr_… -o json | jq -r .enrolment_token.secret",
    },
  ],
  run: async ({ flags, call, screen, connect }) => {
    const name = flags.name ?? `runner-${randomBytes(3).toString("hex")}`;
    const runner_group_id = flags.group ?? (await makeGroup(call, groupOf(name, flags)));
    const display = flags["display-name"];
    const body = { name, runner_group_id, ...(display !== undefined && { display_name: display }) };
    const runner = await call(createRunnerRoute, { body }).catch(async (error: unknown) => {
      // A group of its own is nobody's without its runner.
      const made = { params: { runner_group_id } };
      if (flags.group === undefined) await call(deleteRunnerGroupRoute, made).catch(() => {});
      throw error;
    });
    const params = { runner_id: runner.body.id };
    const token = await call(createEnrolmentTokenRoute, { params });
    showNewRunner(screen, { url: (await connect()).url, runner: runner.body, token: token.body });
  },
});

function groupOf(name: string, flags: GroupFlags) {
  const job_group_parallelism = readPairs("--parallelism", flags.parallelism);
  const type = flags.type ?? "install";
  const platform = flags.platform ?? "unknown";
  return { name, type, platform, settings: { job_group_parallelism } };
}

async function makeGroup(call: Caller, body: ReturnType<typeof groupOf>): Promise<string> {
  return (await call(createRunnerGroupRoute, { body })).body.id;
}
