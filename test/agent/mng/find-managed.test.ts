import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { findManaged, managedBy } from "../../../agent/mng/find-managed.ts";
import { canChangeUsers, leftOut } from "../../support/agent/given-job-users.ts";

/** A process that says of itself that it is the agent, in what it is called and in its environment. */
async function givenClaimant(owner: string, args: readonly string[], before: readonly string[]) {
  const idle = "echo ready; while :; do read -r line; done";
  const [program = "", ...rest] = [...before, "sh", "-c", idle, ...args];
  const child = spawn(program, rest, {
    env: { PATH: process.env["PATH"], [managedBy]: `${owner}:9.9.9` },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid;
}

function setup() {
  const owner = `test-${process.pid}`;
  return { owner, args: ["start", "--config", `/etc/${owner}.conf`] };
}

test("an agent is found again by its mark", async () => {
  const { owner, args } = setup();
  const pid = await givenClaimant(owner, args, []);
  expect(await findManaged(owner, args)).toMatchObject({ pid, release: "9.9.9" });
});

if (!canChangeUsers) test(leftOut, () => expect(canChangeUsers).toBe(false));

const asRoot = canChangeUsers ? describe : () => {};

asRoot("a process of another user", () => {
  test("never passes for the agent", async () => {
    const { owner, args } = setup();
    await givenClaimant(owner, args, ["setpriv", "--reuid=65534", "--clear-groups"]);
    expect(await findManaged(owner, args)).toBeUndefined();
  });
});
