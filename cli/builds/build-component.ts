import { buildAllRoute, componentBuilds, createBuildRoute } from "../../shared/api/builds.ts";
import type { ComponentBuild } from "../../shared/api/builds.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { followRun, runCodes } from "../actions/follow-run.ts";
import { appArgs, findApp } from "../apps/find-app.ts";
import { findComponent } from "../apps/parts/find-component.ts";
import { type Caller, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Screen } from "../output/screen.ts";

export const buildComponent = defineCommand({
  name: "component build",
  summary: "Build a component of an app, and follow the build's log.",
  details:
    "By the app's active config, on the org's own runner. With --all all components are built, side by side. The log goes to standard output, messages to standard error; with --no-wait, or -o, the builds are what goes to standard output. " +
    "The exit code is 0 where all are built. Ctrl-C stops following; the build continues.",
  codes: runCodes,
  ownsInterrupt: true,
  outlivesReader: true,
  args: {
    ...appArgs,
    component: { summary: "The component's name or id.", isOptional: true },
  },
  flags: {
    all: { summary: "Build all components of the app." },
    ref: {
      value: "REF",
      summary: "A branch, tag or commit in place of the branch that the config names.",
    },
    "no-wait": { summary: "Do not follow it." },
  },
  examples: [
    { does: "Build a component.", run: "svc component build shop api" },
    { does: "Build all of an app.", run: "svc component build shop --all" },
  ],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    if ((args.component === undefined) !== flags.all)
      throw new UsageError("Give either a component or --all.");
    if (flags.all && flags.ref !== undefined)
      throw new UsageError("--ref is for one component: components may be of other repositories.");
    const builds =
      args.component === undefined
        ? await buildAll(call, args.app)
        : [await buildOne(call, { ...args, component: args.component }, flags.ref)];
    const [first] = builds;
    if (first === undefined) {
      screen.say(`${args.app} has no components: there is nothing to build.`);
      return exitCodes.ok.code;
    }
    const isFollowed = screen.format === "table" && !flags["no-wait"];
    if (isFollowed)
      for (const build of builds) screen.say(`${build.id} of ${build.component_name} has begun.`);
    if (flags["no-wait"]) {
      printBuilds(screen, builds, flags.all);
      screen.say(`Watch it: svc workflow watch ${first.workflow_id}`);
      return exitCodes.ok.code;
    }
    process.once("SIGINT", () => {
      screen.say(`The build continues. See it: svc workflow watch ${first.workflow_id}`);
      process.exit(exitCodes.interrupted.code);
    });
    const isLone = builds.length === 1;
    const code = await followRun(context, { workflowId: first.workflow_id, isLone });
    const ended = await Promise.all(builds.map(async ({ id }) => await readBuild(call, id)));
    if (isFollowed) for (const build of ended) screen.say(endText(build));
    else printBuilds(screen, ended, flags.all);
    return code;
  },
});

async function buildOne(
  call: Caller,
  given: { readonly app: string; readonly component: string },
  ref: string | undefined,
): Promise<ComponentBuild> {
  const { params } = await findComponent(call, given);
  const body = ref === undefined ? { use_latest: true } : { git_ref: ref };
  return (await call(createBuildRoute, { params, body })).body;
}

async function buildAll(call: Caller, app: string): Promise<readonly ComponentBuild[]> {
  const params = { app_id: (await findApp(call, app)).body.id };
  return (await call(buildAllRoute, { params, body: {} })).body;
}

/** To standard output: all as one array, where all were asked for. */
function printBuilds(screen: Screen, builds: readonly ComponentBuild[], isAll: boolean): void {
  const isJson = screen.format === "json" || screen.format === "ndjson";
  if (isJson && isAll) screen.out(JSON.stringify(builds));
  else for (const build of builds) screen.out(isJson ? JSON.stringify(build) : build.id);
}

async function readBuild(call: Caller, id: string): Promise<ComponentBuild> {
  return (await call(componentBuilds.get, { params: { build_id: id } })).body;
}

/** What came of a build, in a line. */
function endText({ component_name, artifact, status, status_description, no_op }: ComponentBuild) {
  const made = artifact === undefined ? "" : ` ${artifact.digest}`;
  const why = status === "active" ? "" : `: ${status_description}`;
  const same = no_op ? ", unchanged since the build before" : "";
  return `${component_name} is ${status}${why}${made}${same}`;
}
