import { listInstallStatesRoute } from "../../shared/api/install-inputs.ts";
import type { InstallState } from "../../shared/api/install-inputs.ts";
import {
  checkInstallDnsRoute,
  generateCliInstallConfigRoute,
  generateTerraformInstallerConfigRoute,
  getInstallReadmeRoute,
  type InstallAuditLog,
  listInstallAuditLogsRoute,
} from "../../shared/api/install-records.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import { findInstall, installArgs as args } from "./find-install.ts";

export const showReadme = defineCommand({
  name: "install readme",
  summary: "Show the app's readme, rendered with what is known of an install.",
  details: "What could not be rendered is left out, and reported on stderr.",
  args,
  examples: [{ does: "Read it.", run: "svc install readme acme" }],
  run: async ({ args, call, screen }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const { body, text } = await call(getInstallReadmeRoute, { params: { install_id: id } });
    if (screen.format === "json" || screen.format === "ndjson") {
      screen.out(text);
      return;
    }
    if (body.readme === "") screen.say("The app's config has no readme.");
    else screen.out(body.readme.trimEnd());
    for (const warning of body.warnings) screen.say(warning);
  },
});

export const checkDns = defineCommand({
  name: "install dns",
  summary: "Check whether the public domain of an install is delegated to its name servers.",
  codes: [["1", "it is not"]],
  args,
  examples: [{ does: "Check it.", run: "svc install dns acme" }],
  run: async ({ args, call, screen }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const { body, text } = await call(checkInstallDnsRoute, { params: { install_id: id } });
    if (screen.format === "json" || screen.format === "ndjson") screen.out(text);
    else if (body.delegated) screen.out(body.domain);
    screen.say(body.message);
    return body.delegated ? exitCodes.ok.code : exitCodes.failed.code;
  },
});

const auditLine: View<InstallAuditLog> = {
  nameOf: ({ id }) => id,
  columns: {
    TIME: ({ time_stamp: at }) => formatInstant(at),
    WHAT: ({ type }) => type,
    LINE: ({ log_line: line }) => line,
  },
};

export const listInstallAuditLogs = defineList({
  name: "install audit-log",
  summary: "List what people and programs did to an install and its workflows, newest first.",
  args,
  flags: {
    since: { value: "TIME", summary: "From this instant on, such as 2026-01-31T00:00:00Z." },
    until: { value: "TIME", summary: "Before this instant." },
  },
  examples: [{ does: "See who did what.", run: "svc install audit-log acme" }],
  view: auditLine,
  empty: "No events found.",
  read: async ({ args, flags: { since: start, until: end }, call, page }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const query = { start, end, ...pagesOfListing(page) };
    const params = { install_id: id };
    return pageOfListing(await call(listInstallAuditLogsRoute, { params, query }));
  },
});

const stateLine: View<InstallState> = {
  nameOf: ({ id }) => id,
  columns: {
    VERSION: ({ version }) => String(version),
    ID: ({ id }) => id,
    CHECKSUM: ({ checksum }) => checksum.slice(0, 12),
    BY: ({ triggered_by_id: id }) => id,
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

export const listStates = defineList({
  name: "install state-history",
  summary: "List the states of an install that workflows recorded, newest first.",
  args,
  examples: [{ does: "See when its state changed.", run: "svc install state-history acme" }],
  view: stateLine,
  empty: "No workflow has recorded its state yet.",
  read: async ({ args, call, page }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const asked = { params: { install_id: id }, query: pagesOfListing(page) };
    return pageOfListing(await call(listInstallStatesRoute, asked));
  },
});

export const exportInstall = defineCommand({
  name: "install export",
  summary: "Write an install as a file of its app's config, or as a configuration of Terraform.",
  details:
    "TOML, as a file in `installs/` has it; sensitive inputs are named in a comment. With --terraform a resource with its import; sensitive inputs are variables. Neither has their values.",
  args,
  flags: { terraform: { summary: "As a configuration of Terraform." } },
  examples: [
    { does: "Keep it with the app.", run: "svc install export acme > installs/acme.toml" },
    { does: "Manage it by Terraform.", run: "svc install export acme --terraform > acme.tf" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { id } = (await findInstall(call, args.install)).body;
    const route = flags.terraform
      ? generateTerraformInstallerConfigRoute
      : generateCliInstallConfigRoute;
    screen.out((await call(route, { params: { install_id: id } })).text.trimEnd());
  },
});
