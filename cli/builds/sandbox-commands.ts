import {
  createSandboxBuildRoute,
  getSandboxBuildRoute,
  type SandboxBuild,
  sandboxBuilds,
} from "../../shared/api/sandbox-builds.ts";
import { buildStatuses } from "../../shared/build-statuses.ts";
import { runCodes } from "../actions/follow-run.ts";
import { appArgs, findApp } from "../apps/find-app.ts";
import { type Command, defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { formatAge } from "../output/format-age.ts";
import { shortDigest, shortSource, statusOfBuild } from "./build-view.ts";
import { buildBody, buildFlags, runBuilds } from "./run-builds.ts";

const buildSandbox = defineCommand({
  name: "sandbox build",
  summary: "Build an app's sandbox, and follow the build's log.",
  details:
    "By the app's active config, on the org's own runner. The log goes to standard output, messages to standard error; with --no-wait, or -o, the build is what goes to standard output. Ctrl-C stops following; the build continues.",
  codes: runCodes,
  ownsInterrupt: true,
  outlivesReader: true,
  args: appArgs,
  flags: buildFlags,
  examples: [{ does: "Build the sandbox of an app.", run: "svc sandbox build shop" }],
  run: async (context) => {
    const { args, flags, call } = context;
    const app_id = (await findApp(call, args.app)).body.id;
    const asked = { params: { app_id }, body: buildBody(flags) };
    const build = (await call(createSandboxBuildRoute, asked)).body;
    return await runBuilds(context, {
      builds: [build],
      isList: false,
      isWaiting: !flags["no-wait"],
      read: async ({ id: sandbox_build_id }) =>
        (await call(getSandboxBuildRoute, { params: { app_id, sandbox_build_id } })).body,
    });
  },
});

const listSandboxBuilds = defineList({
  name: "sandbox builds",
  summary: "List the builds of an app's sandbox, newest first.",
  args: appArgs,
  flags: {
    status: { value: "STATUS", choices: buildStatuses, summary: "Only those of this status." },
  },
  examples: [{ does: "List an app's builds.", run: "svc sandbox builds shop" }],
  view: {
    nameOf: ({ id }: SandboxBuild) => id,
    columns: {
      ID: ({ id }: SandboxBuild) => id,
      STATUS: statusOfBuild,
      SOURCE: shortSource,
      DIGEST: ({ artifact }: SandboxBuild) => shortDigest(artifact?.digest ?? ""),
      JOB: ({ build_runner_job_id: id }: SandboxBuild) => id,
      AGE: ({ created_at: at }: SandboxBuild) => formatAge(at),
    },
  },
  empty: "No builds found. Make one: svc sandbox build APP",
  read: async ({ args, flags: { status }, call, page }) => {
    const params = { app_id: (await findApp(call, args.app)).body.id };
    const query = { status, ...pagesOfListing(page) };
    return pageOfListing(await call(sandboxBuilds.list, { params, query }));
  },
});

/** The commands of sandboxes, in the order of help. */
export const sandboxCommands: readonly Command[] = [buildSandbox, listSandboxBuilds];
