import {
  getInstallInputsRoute,
  getInstallStateRoute,
  updateInstallInputsRoute,
} from "../../shared/api/install-inputs.ts";
import { lifecyclePhases, installs } from "../../shared/api/install.ts";
import {
  listInstallEventsRoute,
  mergeInstallLabelsRoute,
  removeInstallLabelsRoute,
  updateInstallRoute,
} from "../../shared/api/installs.ts";
import { listInstallLabelKeysRoute } from "../../shared/api/label-keys.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { findApp } from "../apps/find-app.ts";
import { defineCommand } from "../command.ts";
import { waitFlag, waits, watchOrFollow } from "../deploys/follow-deploy.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { readPairs } from "../flags/read-pairs.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { printLabelKeys } from "../output/label-keys.ts";
import { printLabels } from "../output/labels.ts";
import { printItem } from "../output/print.ts";
import { findInstall, installArgs as args } from "./find-install.ts";
import { eventLine, inputsDetails, installDetails, installLine } from "./install-view.ts";
import { readValues } from "./read-values.ts";

export const listInstalls = defineList({
  name: "install list",
  summary: "List installs, newest first.",
  flags: {
    app: { value: "APP", offers: "apps", summary: "Only this app's." },
    phase: {
      value: "PHASE",
      choices: lifecyclePhases,
      summary: "Only installs in this phase.",
    },
    label: { value: "KEY[=VALUE],…", summary: "Only installs with all these labels." },
    query: { value: "TEXT", summary: "Only installs with this text in the name." },
  },
  examples: [
    { does: "List the installs of an app.", run: "svc install list --app greeter" },
    { does: "Watch those that change.", run: "svc install list --phase updating --watch" },
  ],
  view: installLine,
  empty: "No installs found. Create one: svc install create NAME --app APP",
  read: async ({ flags, call, page }) => {
    const app = flags.app === undefined ? undefined : (await findApp(call, flags.app)).body;
    const { phase, label: labels, query: q } = flags;
    const query = { app_id: app?.id, phase, labels, q, ...pagesOfListing(page) };
    return pageOfListing(await call(installs.list, { query }));
  },
});

export const getInstall = defineCommand({
  name: "install get",
  summary: "Show an install.",
  args,
  examples: [{ does: "Show an install by its name.", run: "svc install get acme" }],
  run: async ({ args, call, screen }) => {
    printItem(screen, await findInstall(call, args.install), installDetails);
  },
});

export const showInputs = defineCommand({
  name: "install inputs",
  summary: "Show an install's inputs, or change some of them.",
  details:
    "With --set or --unset a new version is created, and a workflow applies it. Values that the app's config marks as sensitive are never shown.",
  ...waits,
  args,
  flags: {
    set: {
      value: "NAME=VALUE",
      isRepeatable: true,
      summary: "Set an input. NAME=@FILE reads a secret from a file.",
    },
    unset: { value: "NAME", isRepeatable: true, summary: "Remove a value." },
    ...waitFlag,
  },
  examples: [
    { does: "Show them.", run: "svc install inputs acme" },
    { does: "Change one.", run: "svc install inputs acme --set greeting=Welcome" },
  ],
  run: async (context) => {
    const { args, flags, call, screen } = context;
    const { id } = (await findInstall(call, args.install)).body;
    const params = { install_id: id };
    const removed = Object.fromEntries(flags.unset.map((name) => [name, null]));
    const inputs = { ...(await readValues("--set", flags.set)), ...removed };
    if (Object.keys(inputs).length === 0) {
      if (flags.wait) throw new UsageError("The flag --wait goes with --set or --unset.");
      printItem(screen, await call(getInstallInputsRoute, { params }), inputsDetails);
      return exitCodes.ok.code;
    }
    const made = await call(updateInstallInputsRoute, { params, body: { inputs } });
    printItem(screen, made, inputsDetails);
    const { workflow_id: workflow } = made.body;
    if (workflow !== undefined) return await watchOrFollow(context, workflow, flags.wait);
    screen.say("Nothing changed.");
    return exitCodes.ok.code;
  },
});

export const listLabelKeys = defineCommand({
  name: "install label-keys",
  summary: "List the keys of installs' labels, with their values.",
  flags: { app: { value: "APP", offers: "apps", summary: "Only of this app's installs." } },
  examples: [{ does: "List what to search by.", run: "svc install label-keys" }],
  run: async ({ flags, call, screen }) => {
    const app_id = flags.app === undefined ? undefined : (await findApp(call, flags.app)).body.id;
    printLabelKeys(screen, await call(listInstallLabelKeysRoute, { query: { app_id } }));
  },
});

export const labelInstall = defineCommand({
  name: "install labels",
  summary: "Show an install's labels, or change some of them.",
  args,
  flags: {
    set: { value: "KEY=VALUE", isRepeatable: true, summary: "Set a label." },
    unset: { value: "KEY", isRepeatable: true, summary: "Remove a label." },
    template: {
      value: "KEY=TEMPLATE",
      isRepeatable: true,
      summary: "Set a label whose value is rendered from the install's state.",
    },
    "no-template": { value: "KEY", isRepeatable: true, summary: "Remove such a label." },
  },
  examples: [{ does: "Set one.", run: "svc install labels acme --set tier=gold" }],
  run: async ({ args, flags, call, screen }) => {
    const { body } = await findInstall(call, args.install);
    const params = { install_id: body.id };
    let { labels } = body;
    const set = readPairs("--set", flags.set);
    if (Object.keys(set).length > 0)
      ({ labels } = (await call(mergeInstallLabelsRoute, { params, body: { labels: set } })).body);
    if (flags.unset.length > 0)
      ({ labels } = (
        await call(removeInstallLabelsRoute, { params, body: { keys: [...flags.unset] } })
      ).body);
    const templates = { ...body.label_templates, ...readPairs("--template", flags.template) };
    const kept = Object.entries(templates).filter(([key]) => !flags["no-template"].includes(key));
    if (flags.template.length + flags["no-template"].length > 0) {
      const changes = { label_templates: Object.fromEntries(kept) };
      ({ labels } = (await call(updateInstallRoute, { params, body: changes })).body);
    }
    printLabels(screen, labels);
  },
});

export const showState = defineCommand({
  name: "install state",
  summary: "Show what templates of the app's config can read of an install, as JSON.",
  args,
  examples: [{ does: "Show it.", run: "svc install state acme" }],
  run: async ({ args, call, screen }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const { body } = await call(getInstallStateRoute, { params: { install_id: id } });
    screen.out(JSON.stringify(body, null, screen.format === "ndjson" ? 0 : 2));
  },
});

export const listEvents = defineList({
  name: "install events",
  summary: "List the events of an install, newest first.",
  args,
  examples: [
    { does: "Show what happened.", run: "svc install events acme" },
    { does: "See what happens.", run: "svc install events acme --watch" },
  ],
  view: eventLine,
  empty: "Nothing has happened yet.",
  read: async ({ args, call, page }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const asked = { params: { install_id: id }, query: pagesOfListing(page) };
    return pageOfListing(await call(listInstallEventsRoute, asked));
  },
});
