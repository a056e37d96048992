import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { tool } from "../../tools/find-tool.ts";
import type { GivenOperator } from "../broker/given-operator.ts";
import { testFolder } from "../run/folder.ts";

function cleanEnv(): Record<string, string> {
  const { PATH = "", HOME = "/" } = process.env;
  return { PATH, HOME, TF_IN_AUTOMATION: "1", TF_INPUT: "0", CHECKPOINT_DISABLE: "1" };
}

export type Ran = { readonly code: number; readonly out: string; readonly err: string };

/** A folder with a configuration, whose state is in a workspace. */
export type Terraform = {
  readonly folder: string;
  /** Runs one command; as another caller with another token. */
  readonly run: (words: string, token?: string) => Promise<Ran>;
  /** Gives it another configuration. */
  readonly configure: (resources: string) => Promise<void>;
};

/** A terraform that keeps its state at the broker, as the caller of this token; it is not initialized yet. */
export async function givenTerraform(
  at: Pick<GivenOperator, "broker">,
  given: { readonly workspaceId: string; readonly token: string; readonly url?: string },
): Promise<Terraform> {
  const folder = await testFolder();
  const url = given.url ?? at.broker.url;
  const workspace = `${url}/v1/terraform-workspaces/${given.workspaceId}`;
  const backend = `terraform {
  backend "http" {
    address        = "${url}/v1/terraform-backend?workspace_id=${given.workspaceId}"
    lock_address   = "${workspace}/lock"
    unlock_address = "${workspace}/unlock"
    lock_method    = "POST"
    unlock_method  = "POST"
    retry_max      = 0
  }
}
`;
  await writeFile(path.join(folder, "backend.tf"), backend);
  return {
    folder,
    configure: (resources) => writeFile(path.join(folder, "main.tf"), resources),
    run: (words, token = given.token) =>
      new Promise((resolve) => {
        const env = { ...cleanEnv(), TF_HTTP_USERNAME: "svc", TF_HTTP_PASSWORD: token };
        const args = [...words.split(" "), "-no-color"].filter((word) => word !== "");
        execFile(tool("terraform"), args, { cwd: folder, env }, (error, out, err) => {
          resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
        });
      }),
  };
}
