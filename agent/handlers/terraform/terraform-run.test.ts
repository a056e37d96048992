import { expect, test } from "vitest";
import { readTerraformRun } from "./terraform-run.ts";

const info = { type: "sandbox-terraform", operation: "create-apply-plan" } as Parameters<
  typeof readTerraformRun
>[1];
const archive = Buffer.from("an archive").toString("base64");
const plan = {
  terraform_backend: { workspaceID: "tfw_1" },
  local_archive: { local_archive: archive },
};

test("a plan is read as clients of the family type it", () => {
  const policies = { "no-public": "package svc" };
  expect(readTerraformRun({ ...plan, policies }, info)).toMatchObject({
    workspaceId: "tfw_1",
    source: { kind: "archive", contents: archive },
    policies: [{ name: "no-public", contents: "package svc", engine: "opa" }],
  });
  const onHost = { ...plan, local_archive: { local_archive: "/srv/sandbox" } };
  expect(readTerraformRun(onHost, info).source).toEqual({
    kind: "path",
    path: "/srv/sandbox",
    directory: "",
  });
});

test("two spellings of the workspace that disagree are refused", () => {
  const backend = { WorkspaceID: "tfw_1", workspaceID: "tfw_2" };
  expect(() => readTerraformRun({ ...plan, terraform_backend: backend }, info)).toThrow(
    "terraform_backend names two workspaces: WorkspaceID and workspaceID differ",
  );
});
