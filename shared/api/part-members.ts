import { z } from "@hono/zod-openapi";
import * as app from "../app-config/members/app-members.ts";
import { listIn, ofWhole, type PartRecord, partRecord, type Stored } from "./part-record.ts";

export const texts = z.record(z.string(), z.string());

/** What is no text on its own is JSON. */
export const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** A member whose values are of any type, as texts. */
export function textsIn(part: Stored, member: string): Stored | undefined {
  const values = part[member] as Stored | undefined; // a checked config's
  return (
    values &&
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]))
  );
}

/** The texts of files that a part has, whole. */
export const filesIn = (part: Stored, member: string): unknown =>
  part[member] && listIn(part, member).map(({ contents }) => contents);

const connectedRepo = partRecord("ConnectedGithubVCSConfig", {
  within: ofWhole,
  file: app.sandbox.shape.connected_repo.unwrap(),
  made: {
    repo_owner: { schema: z.string(), read: ({ repo }) => String(repo).split("/").at(-2) },
    repo_name: { schema: z.string(), read: ({ repo }) => String(repo).split("/").at(-1) },
  },
});
const publicRepo = partRecord("PublicGitVCSConfig", {
  within: ofWhole,
  file: app.sandbox.shape.public_repo.unwrap(),
});

const repo = ({ schema, read }: PartRecord, member: string) => ({
  schema,
  read: (part: Stored, whole: Stored) => part[member] && read(part[member] as Stored, whole), // a checked config's
});
/** Where the sources of a part are. */
export const repos = {
  connected_github_vcs_config: repo(connectedRepo, "connected_repo"),
  public_git_vcs_config: repo(publicRepo, "public_repo"),
} as const;

/** Variables and files of them, as terraform's parts have both. */
export const variables = {
  variables: {
    schema: texts.describe("Variables; what is no text as JSON."),
    read: (part: Stored) => textsIn(part, "vars"),
  },
  variables_files: {
    schema: z.array(z.string()).describe("Files of variables, whole."),
    read: (part: Stored) => filesIn(part, "var_file"),
  },
} as const;

/** Which role an operation uses, by the operation. */
export const rolesOfOperations = {
  operation_roles: {
    schema: texts.describe("Names of roles by the operations that use them."),
    read: (part: Stored) =>
      part["operation_roles"] &&
      Object.fromEntries(
        listIn(part, "operation_roles").map((one) => [String(one["operation"]), one["role"]]),
      ),
  },
} as const;
