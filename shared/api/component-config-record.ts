import { z } from "@hono/zod-openapi";
import { component, sharedByAll } from "../app-config/members/component.ts";
import { componentTypeOf, componentTypes } from "../component-types.ts";
import { formatDuration } from "../duration.ts";
import {
  asText,
  filesIn,
  repos,
  rolesOfOperations,
  texts,
  textsIn,
  variables,
} from "./part-members.ts";
import { listIn, ofWhole, type PartRecord, partRecord, type Stored } from "./part-record.ts";

type Spec = Parameters<typeof partRecord>[1];
type Made = NonNullable<Spec["made"]>;

/** The members of a file of this type that no other type has to have. */
function ownOf(type: string, without: readonly string[] = []): z.ZodObject {
  const file = component.options.find(({ shape }) => shape.type.safeParse(type).success);
  const own = Object.entries(file?.shape ?? {}).filter(
    ([name]) => name !== "type" && !(name in sharedByAll) && !without.includes(name),
  );
  return z.object(Object.fromEntries(own));
}

const of = (type: string, made: Made = {}): Spec => ({ file: ownOf(type), of: type, made });

const envelope = {
  values: {
    schema: texts.describe("Values; what is no text as JSON."),
    read: (part: Stored) => textsIn(part, "values"),
  },
  values_files: {
    schema: z.array(z.string()).describe("Files of values, whole."),
    read: (part: Stored) => filesIn(part, "values_file"),
  },
} satisfies Made;
const helmConfig = partRecord("HelmConfig", {
  file: ownOf("helm_chart", ["connected_repo", "public_repo"]),
  of: "helm_chart",
  made: envelope,
});

const registries = {
  aws_ecr: ["AWSECRImageConfig", "aws_ecr_image_config"],
  azure_acr: ["AzureACRImageConfig", "azure_acr_image_config"],
  gcp_gar: ["GCPGARImageConfig", "gcp_gar_image_config"],
} as const;
const imageMembers = ["image_url", "tag", "update_policy"] as const;
const imageFile = ownOf("external_image").shape as Readonly<Record<string, z.ZodOptional>>; // all but the type
const sourceOf = (part: Stored): Stored =>
  (part["public"] ?? part["aws_ecr"] ?? part["azure_acr"] ?? part["gcp_gar"] ?? {}) as Stored; // a checked config has one
const image: Made = {
  ...Object.fromEntries(
    imageMembers.map((name) => [
      name,
      { schema: z.string(), read: (part: Stored) => sourceOf(part)[name] },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(registries).map(([member, [name, as]]) => {
      const table = imageFile[member]?.unwrap() as z.ZodObject; // as the file's schema has it
      const own = Object.entries(table.shape).filter(
        ([key]) => !imageMembers.some((one) => one === key),
      );
      const { schema, read } = partRecord(name, {
        within: { component_config_id: z.string(), ...ofWhole },
        file: z.object(Object.fromEntries(own)),
      });
      const readOwn = (part: Stored, whole: Stored) =>
        part[member] && read(part[member] as Stored, whole);
      return [as, { schema, read: readOwn }];
    }),
  ),
};

const buildArgs = {
  schema: z.array(z.string()).describe("As NAME=VALUE."),
  read: (part: Stored) =>
    part["build_args"] &&
    Object.entries(part["build_args"]).map(([name, value]) => `${name}=${asText(value)}`),
};

/** The kinds of configs: by the type, what answers call the member and its record, and what it has. */
const kinds = {
  docker_build: [
    "docker_build",
    "DockerBuildComponentConfig",
    of("docker_build", { ...repos, build_args: buildArgs }),
  ],
  external_image: ["external_image", "ExternalImageComponentConfig", { made: image }],
  helm_chart: [
    "helm",
    "HelmComponentConfig",
    of("helm_chart", {
      ...repos,
      ...envelope,
      helm_config_json: {
        schema: helmConfig.schema.describe("The same, but for where the chart is."),
        read: helmConfig.read,
      },
    }),
  ],
  job: ["job", "JobComponentConfig", of("job")],
  kubernetes_manifest: [
    "kubernetes_manifest",
    "KubernetesManifestComponentConfig",
    of("kubernetes_manifest", repos),
  ],
  pulumi: ["pulumi", "PulumiComponentConfig", of("pulumi", repos)],
  terraform_module: [
    "terraform_module",
    "TerraformModuleComponentConfig",
    of("terraform_module", { ...repos, ...variables }),
  ],
} as const satisfies Readonly<Record<string, readonly [string, string, Spec]>>;

const connection = { id: z.string(), component_config_connection_id: z.string() };
const typed: Made = Object.fromEntries(
  Object.entries(kinds).map(([type, [as, name, spec]]) => {
    const { schema, read }: PartRecord = partRecord(name, {
      ...spec,
      also: connection,
      within: ofWhole,
    });
    const readOwn = (part: Stored, whole: Stored) =>
      componentTypeOf(part["type"]) === type
        ? { id: part["id"], component_config_connection_id: part["id"], ...read(part, whole) }
        : undefined;
    return [as, { schema, read: readOwn }];
  }),
);

const lasts = (member: string) => ({
  schema: z.string().describe("Such as `1h30m`."),
  read: (part: Stored) =>
    typeof part[member] === "number" ? formatDuration(part[member]) : undefined,
});
const health = sharedByAll.health.unwrap().shape;
const probe = partRecord("ComponentHealthProbe", { file: health.probes.unwrap().element });
const healthOf = ({ health: table }: Stored) => (table ?? {}) as Stored; // a checked config's
const healthMember = (schema: z.ZodType, member: string) => ({
  schema,
  read: (part: Stored) => healthOf(part)[member],
});

/** What a config of an app says of a component. It is read from the config's part, which has the record's `id` besides. */
export const componentConfigRecord: PartRecord = partRecord("ComponentConfigConnection", {
  also: {
    id: z.string(),
    component_id: z.string(),
    component_name: z.string().describe("In that config."),
    app_id: z.string(),
    app_config_id: z.string(),
    app_config_version: z.int(),
    version: z.int().describe("Which of the component's configs it is, from 1."),
    component_dependency_ids: z
      .array(z.string())
      .describe("Of the components that it lists as its dependencies."),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    updated_at: z.iso.datetime().describe("As created_at: it never changes."),
  },
  file: z.object(sharedByAll).pick({
    auto_approve_on_policies_passing: true,
    default_enabled: true,
    drift_schedule: true,
    max_auto_retries: true,
    skip_noops: true,
    toggleable: true,
  }),
  made: {
    type: { schema: z.enum(componentTypes), read: ({ type }) => componentTypeOf(type) },
    build_timeout: lasts("build_timeout"),
    deploy_timeout: lasts("deploy_timeout"),
    kubernetes_context_name: { schema: z.string(), read: (part) => part["kubernetes_context"] },
    ...rolesOfOperations,
    health_enabled: healthMember(z.boolean(), "enabled"),
    health_block_deploy: healthMember(z.boolean(), "block_deploy"),
    health_required_checks: healthMember(z.array(z.string()), "required_checks"),
    health_probes: {
      schema: z.array(probe.schema),
      read: (part) =>
        healthOf(part)["probes"] && listIn(healthOf(part), "probes").map((one) => probe.read(one)),
    },
    health_stabilization_window: {
      schema: z.string(),
      read: (part) => lasts("stabilization_window").read(healthOf(part)),
    },
    ...typed,
  },
});
