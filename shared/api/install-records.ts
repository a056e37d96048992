import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { instantInput } from "./instant.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";
import { runnerGroupSchema } from "./runner.ts";

const tags = ["Installs"];
const path = "/v1/installs/{install_id}";
const reading = { surface: "control-plane", permission: "installs.read" } as const;

export const installReadmeSchema = z
  .object({
    readme: z.string().describe("Markdown; empty where the app's config has none."),
    original: z.string().describe("As the config has it, before it was rendered."),
    app_config_id: z.string().nullable().describe("The config that it is of."),
    warnings: z.array(z.string()).describe("The faults, each as one sentence."),
    faults: z
      .array(
        z.object({
          code: z.string(),
          line: z.int().describe("In the config's text, from 1."),
          path: z.string().nullable().describe("What is missing."),
          detail: z.string(),
        }),
      )
      .describe("What could not be rendered; that is left out of the text."),
  })
  .openapi("Readme");
export type InstallReadme = z.infer<typeof installReadmeSchema>;

export const getInstallReadmeRoute = createRoute("getInstallReadme", {
  get: `${path}/readme`,
  rule: { ...reading, ownPermit: true },
  tags,
  summary: "Read the app's readme, rendered with what is known of an install",
  description:
    "Of the config that the install has, else of the app's active one. Sensitive values are hidden.",
  responses: {
    200: json(installReadmeSchema, "The readme."),
    206: json(installReadmeSchema, "The readme, without what could not be rendered."),
  },
});

export const dnsCheckSchema = z
  .object({
    enabled: z.boolean().describe("Whether the install has a public domain."),
    domain: z
      .string()
      .describe(
        "That is the output `public_domain` of its sandbox, or the `name` in it; else empty.",
      ),
    delegated: z
      .boolean()
      .describe("Whether DNS says the expected name servers, all of them and no others."),
    expected_nameservers: z
      .array(z.string())
      .describe("The `nameservers` of the output `public_domain`."),
    observed_nameservers: z.array(z.string()).describe("That DNS says; 32 at most."),
    missing_nameservers: z.array(z.string()).describe("Expected ones that DNS does not say."),
    extra_nameservers: z.array(z.string()).describe("Others that DNS says."),
    message: z.string().describe("What that means, and what to do."),
  })
  .openapi("CheckInstallDNSDelegationResponse");
export type DnsCheck = z.infer<typeof dnsCheckSchema>;

export const checkInstallDnsRoute = createRoute("checkInstallDns", {
  get: `${path}/dns/check`,
  rule: { ...reading, ownPermit: true },
  tags,
  summary: "Check whether the public domain of an install is delegated to its name servers",
  description:
    "Asks the DNS servers of the broker's machine for the domain's name servers, for some seconds at most. They may keep an older answer for a while.",
  responses: { 200: json(dnsCheckSchema, "What DNS says.") },
});

export const installAuditLogSchema = z
  .object({
    id: z.string(),
    install_id: z.string(),
    type: z.string().describe("The operation of the API."),
    log_line: z.string().describe("Who did what, and what came of it."),
    time_stamp: z.iso.datetime(),
  })
  .openapi("InstallAuditLog");
export type InstallAuditLog = z.infer<typeof installAuditLogSchema>;

export const listInstallAuditLogsRoute = createRoute("listInstallAuditLogs", {
  get: `${path}/audit_logs`,
  rule: reading,
  tags,
  summary: "List what people and programs did to an install and its workflows",
  description: `What the audit log has of the install, what belongs to it, and its latest 1,000 workflows; kept as long as that. ${listingDescription}`,
  query: z.object({
    ...listingQuery,
    start: instantInput.optional().describe("From this instant on."),
    end: instantInput.optional().describe("Before this instant."),
  }),
  responses: { 200: json(listingOf(installAuditLogSchema), "What was done.") },
});

export const getRunnerGroupOfInstallRoute = createRoute("getRunnerGroupOfInstall", {
  get: `${path}/runner-group`,
  rule: reading,
  tags,
  summary: "Read the runner group of an install",
  responses: { 200: json(runnerGroupSchema, "The group with its settings and runners.") },
});

export const generateCliInstallConfigRoute = createRoute("generateCliInstallConfig", {
  get: `${path}/generate-cli-install-config`,
  rule: reading,
  tags,
  summary: "Get an install as a file of its app's config",
  description:
    "TOML, as a file in `installs/` has it. Sensitive inputs are named in a comment, without their values. The same bytes as application/octet-stream for who names that type in `Accept`.",
  responses: {
    200: {
      description: "The file.",
      content: {
        "text/plain": { schema: z.string() },
        "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) },
      },
    },
  },
});

export const generateTerraformInstallerConfigRoute = createRoute(
  "generateTerraformInstallerConfig",
  {
    get: `${path}/generate-terraform-installer-config`,
    rule: reading,
    tags,
    summary: "Get an install as a configuration of Terraform",
    description:
      "A resource `PROVIDER_install` with its import, for a provider of this API; PROVIDER is the first of `SVC_BRANDS`, else svc. Sensitive inputs are variables, without their values.",
    responses: {
      200: {
        description: "The file.",
        content: {
          "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) },
        },
      },
    },
  },
);
