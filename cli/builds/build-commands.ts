import { cancelBuildRoute, componentBuilds, getBuildRoute } from "../../shared/api/builds.ts";
import { buildStatuses } from "../../shared/build-statuses.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { findApp } from "../apps/find-app.ts";
import { findComponent } from "../apps/parts/find-component.ts";
import { type Command, defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { fetchRecords } from "../logs/fetch-records.ts";
import { logDetails, logFlags, logQuery, streamParams } from "../logs/log-flags.ts";
import { printRecords } from "../logs/print-records.ts";
import { printItem } from "../output/print.ts";
import { buildDetails, buildLine } from "./build-view.ts";

const args = { build: { summary: "The build's id.", offers: "builds" } } as const;

const listBuilds = defineList({
  name: "build list",
  summary: "List builds of components, newest first.",
  flags: {
    app: { value: "APP", offers: "apps", summary: "Only this app's." },
    component: { value: "COMPONENT", summary: "Only this component's, of --app." },
    status: { value: "STATUS", choices: buildStatuses, summary: "Only those of this status." },
  },
  examples: [{ does: "List an app's builds.", run: "svc build list --app greeter" }],
  view: buildLine,
  empty: "No builds found. Make one: svc component build APP COMPONENT",
  read: async ({ flags: { app, component, status }, call, page }) => {
    if (component !== undefined && app === undefined)
      throw new UsageError("--component needs the app that has it: add --app.");
    const found =
      app === undefined
        ? {}
        : component === undefined
          ? { app_id: (await findApp(call, app)).body.id }
          : (await findComponent(call, { app, component })).params;
    const query = { ...found, status, ...pagesOfListing(page) };
    return pageOfListing(await call(componentBuilds.list, { query }));
  },
});

const getBuild = defineCommand({
  name: "build get",
  summary:
    "Show a build: what was built, its artifact, and why it failed. Its log: svc build logs.",
  args,
  examples: [{ does: "Show a build.", run: "svc build get bld_…" }],
  run: async ({ args: { build: build_id }, call, screen }) => {
    printItem(screen, await call(getBuildRoute, { params: { build_id } }), buildDetails);
  },
});

const showBuildLog = defineCommand({
  name: "build logs",
  summary: "Show the log of a build so far.",
  details: logDetails,
  args,
  flags: logFlags,
  examples: [{ does: "Show a build's log.", run: "svc build logs bld_…" }],
  run: async ({ args: { build: build_id }, flags, call, connect, screen }) => {
    const { body } = await call(getBuildRoute, { params: { build_id } });
    if (body.build_runner_job_id === "") {
      screen.say(`This build has no job: it is ${body.status}. ${body.status_description}`.trim());
      return;
    }
    const asked = { params: streamParams(body.build_runner_job_id), query: logQuery(flags) };
    const count = await printRecords(screen, flags, fetchRecords(await connect(), asked, screen));
    if (count === 0) screen.say("No log records found.");
  },
});

const cancelBuild = defineCommand({
  name: "build cancel",
  summary: "Cancel a build. Builds that were asked for together go on.",
  args,
  examples: [{ does: "Cancel a build.", run: "svc build cancel bld_…" }],
  run: async ({ args: { build: build_id }, call, screen }) => {
    const { body } = await call(getBuildRoute, { params: { build_id } });
    const { app_id, component_id } = body;
    const params = { app_id, component_id, build_id };
    const answer = await call(cancelBuildRoute, { params });
    screen.say(`${build_id} is ${answer.body.status === "cancelled" ? "" : "being "}cancelled.`);
  },
});

/** The commands of builds, in the order of help. */
export const buildCommands: readonly Command[] = [listBuilds, getBuild, showBuildLog, cancelBuild];
