import { buildAllRoute, createBuildRoute, getBuildRoute } from "../../shared/api/builds.ts";
import type { ComponentBuild } from "../../shared/api/builds.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runCodes } from "../actions/follow-run.ts";
import { appArgs, findApp } from "../apps/find-app.ts";
import { findComponent } from "../apps/parts/find-component.ts";
import { type Caller, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { buildBody, buildFlags, runBuilds } from "./run-builds.ts";

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
  flags: { all: { summary: "Build all components of the app." }, ...buildFlags },
  examples: [
    { does: "Build a component.", run: "svc component build shop api" },
    { does: "Build all of an app.", run: "svc component build shop --all" },
  ],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    if ((args.component === undefined) !== flags.all)
      throw new UsageError("Give either a component or --all.");
    if (flags.all && (flags.ref !== undefined || flags.force))
      throw new UsageError(
        "--ref and --force are for one component: components may be of other repositories.",
      );
    const builds =
      args.component === undefined
        ? await buildAll(call, args.app)
        : [await buildOne(call, { ...args, component: args.component }, buildBody(flags))];
    const [first, ...others] = builds;
    if (first === undefined) {
      screen.say(`${args.app} has no components: there is nothing to build.`);
      return exitCodes.ok.code;
    }
    return await runBuilds(context, {
      builds: [first, ...others],
      isList: flags.all,
      isWaiting: !flags["no-wait"],
      read: async ({ id }) => (await call(getBuildRoute, { params: { build_id: id } })).body,
    });
  },
});

async function buildOne(
  call: Caller,
  given: { readonly app: string; readonly component: string },
  body: ReturnType<typeof buildBody>,
): Promise<ComponentBuild> {
  const { params } = await findComponent(call, given);
  return (await call(createBuildRoute, { params, body })).body;
}

async function buildAll(call: Caller, app: string): Promise<readonly ComponentBuild[]> {
  const params = { app_id: (await findApp(call, app)).body.id };
  return (await call(buildAllRoute, { params, body: {} })).body;
}
