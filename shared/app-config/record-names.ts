import { gatherMembers, type TellTwice, toFileShape } from "./record-shapes.ts";

type Names = Readonly<Record<string, string>>;

const repos: Names = {
  connected_github_vcs_config: "connected_repo",
  public_git_vcs_config: "public_repo",
};
const terraform: Names = { variables: "vars", variables_files: "var_file", ...repos };

/** What records call members of files, by the type of the file or of the component. Of several names answers have the first. */
const recordNames: Readonly<Record<string, Names>> = {
  inputs: { input_groups: "group", groups: "group", inputs: "input" },
  sandbox: terraform,
  runner: { app_runner_type: "runner_type", type: "runner_type", init_script: "init_script_url" },
  permissions: {
    provision_aws_iam_role: "provision_role",
    deprovision_aws_iam_role: "deprovision_role",
    maintenance_aws_iam_role: "maintenance_role",
    custom_aws_iam_roles: "custom_roles",
  },
  "break-glass": { aws_iam_roles: "role", roles: "role" },
  policies: { policies: "policy" },
  secrets: { secrets: "secret" },
  "kubernetes-contexts": { contexts: "context" },
  "trigger-rules": { trigger_rules: "rule" },
  action: { kubernetes_context_name: "kubernetes_context" },
  runbook: { inputs: "input" },
  terraform_module: { version: "terraform_version", ...terraform },
  helm_chart: { values_files: "values_file", helm_repo_config: "helm_repo", ...repos },
  docker_build: repos,
  kubernetes_manifest: repos,
  pulumi: { version: "pulumi_version", ...repos },
};

/** What else the members of such a file are called, by those names. */
export const recordNamesOf = (type: string): Names => recordNames[type] ?? {};

/** Members by the names and in the shapes that files have; `twice` is where something was given by two names, or two times, and not the same. */
export function toFileMembers(
  type: string,
  given: Readonly<Record<string, unknown>>,
): {
  readonly contents: Readonly<Record<string, unknown>>;
  readonly twice: readonly (readonly PropertyKey[])[];
} {
  const names = recordNamesOf(type);
  const contents: Record<string, unknown> = {};
  const twice: (readonly PropertyKey[])[] = [];
  const tell: TellTwice = (...at) => void twice.push(at);
  for (const [key, value] of Object.entries(gatherMembers(type, given, tell))) {
    const name = names[key] ?? key;
    if (name in contents) tell(key);
    contents[name] = toFileShape(type, name, { value, twice: (...at) => tell(key, ...at) });
  }
  return { contents, twice };
}
