import type { Members, Rendered } from "./deploy-kind.ts";
import { contentsIn, defined, textIn, wordsIn } from "./rendered-members.ts";

/** What of a config that terraform runs may have templates. */
export const givenTerraform = ({
  vars,
  var_file,
  env_vars,
  terraform_version,
}: Rendered): Rendered => ({
  vars,
  var_file,
  env_vars,
  terraform_version,
});

/** A run of terraform in a workspace. Variables keep the type that they have in JSON. Whether it destroys is said by the job's operation. */
export const terraformMembers = (rendered: Rendered, workspaceId: string): Members =>
  defined({
    vars: rendered["vars"] ?? {},
    vars_files: contentsIn(rendered["var_file"]),
    env_vars: wordsIn(rendered["env_vars"]),
    terraform_backend: { workspaceID: workspaceId },
    terraform_version: textIn(rendered["terraform_version"]),
  });
