import { expect, test } from "vitest";
import { whoProvides } from "./who-provides.ts";

const there = new Set(["components.db.outputs", "sandbox.outputs", "install_stack.outputs"]);
const askFor = (path: string) => whoProvides(path.split("."), (one) => there.has(one.join(".")));

test.each([
  ["inputs.inputs.x", "input", "x", "give the install the input x"],
  ["install.inputs.x", "input", "x", "give the install the input x"],
  ["runbook.inputs.x", "runbook-input", "x", "give the run of the runbook the input x"],
  ["app.variables.x", "secret", "x", "give the app the secret x"],
  ["labels.x", "label", "x", "give the install the label x"],
  ["components.web.outputs.url", "component", "web", "the component web has no outputs yet"],
  ["components.db.outputs.url", "component", "db", "the component db has no output url"],
  ["components.db.image.tag", "component", "db", "the component db has no image yet"],
  ["components.web", "component", "web", "the component web is not there yet"],
  ["actions.seed.outputs.x", "action", "seed", "the action seed has no outputs yet"],
  ["actions.workflows.seed.outputs", "action", "seed", "the action seed has no outputs yet"],
  ["secrets.key.arn", "secret", "key", "the secret key has no arn yet"],
  ["install_stack.outputs.vpc", "stack", null, "the install's stack has no output vpc"],
  ["sandbox.outputs.vpc", "sandbox", null, "the sandbox has no output vpc"],
  ["install.sandbox.outputs.vpc", "sandbox", null, "the sandbox has no outputs yet"],
  ["cloud_account.aws.region", "cloud-account", "aws", "the install's account is not one of aws"],
  ["runner.id", "runner", null, "the install has no runner yet"],
])("%s", (path, type, name, words) => {
  expect(askFor(path)).toEqual({ provider: { type, name }, words });
});

test.each([["domain.public_domain"], ["install.internal_domain"]])(
  "%s comes from the sandbox",
  (path) => {
    expect(askFor(path)).toMatchObject({ provider: { type: "sandbox", name: null } });
  },
);

test.each([["nothing"], ["constructor"], ["components"], ["labels"]])("nobody gives %s", (path) => {
  expect(askFor(path)).toEqual({ provider: null, words: "nothing gives this value" });
});
