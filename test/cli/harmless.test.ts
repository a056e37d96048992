import { beforeAll, describe, expect, test } from "vitest";
import type { Workspace } from "../../shared/api/terraform-workspaces.ts";
import { send } from "../support/broker/broker.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { backendPath } from "../support/workspaces/given-workspace.ts";

/** Sets a title and clears the screen: by ESC, by DEL, and by a control character of eight bits. */
const steering = "\u001B]0;owned\u0007\u001B[2J\u007F\u009B2J";
/** Of all control characters only line ends are left. */
const harmful = /[^\P{Cc}\n]/u;

let cli: CommandLine;
let id: string;
beforeAll(async () => {
  cli = await startCommandLine();
  id = (await call<Workspace>("POST /v1/terraform-workspaces", {})).body.id;
  const path = `/v1/terraform-workspaces/${id}`;
  const lock = { ID: `id${steering}`, Who: `who${steering}`, Operation: `does${steering}` };
  await call(`POST ${path}/lock`, { ...lock, Info: `info${steering}` });
  for (const serial of [1, 2]) await call(`POST ${backendPath(id, lock.ID)}`, stateOf(serial));
  await call(`POST ${path}/block`, { reason: `reason${steering}` });
});

const call = <Body = Record<string, unknown>>(what: string, body?: unknown) =>
  send<Body>(cli.url, what, { token: cli.token, ...(body !== undefined && { body }) });

/** Its names and values steer, and its resource is tainted from the second on. */
function stateOf(serial: number): object {
  const attributes = { [`attribute${steering}`]: `value ${serial}${steering}` };
  const status = serial === 1 ? {} : { status: `tainted${steering}` };
  return {
    serial,
    lineage: "one",
    terraform_version: `1${steering}`,
    outputs: { [`output${steering}`]: { value: serial, type: "number" } },
    resources: [{ type: "t", name: `name${steering}`, instances: [{ attributes, ...status }] }],
  };
}

describe("what others stored", () => {
  test.each([
    ["workspace show", "reason"],
    ["workspace history", "1"],
    ["workspace diff", "tainted"],
    ["workspace unlock", "holds it"],
    ["workspace lock --reason why", "reason"],
    ["workspace rollback --revision 1 --reason why --yes", "who"],
  ])("does not steer the terminal of who runs svc %s", async (line, shown) => {
    const { out, err } = await cli.run(`${line} ${id}`);
    expect(out + err).toContain(shown);
    expect(out + err).toContain("owned");
    expect(out + err).not.toMatch(harmful);
  });

  test("is as it was sent where JSON is asked for", async () => {
    const path = `/v1/terraform-workspaces/${id}`;
    const read = JSON.stringify((await call(`GET ${path}`)).body);
    for (const line of [`workspace show ${id} -o json`, `api GET ${path}`]) {
      expect((await cli.run(line)).out).toBe(`${read}\n`);
    }
    expect(read).toContain("\u007F\u009B2J");
  });
});
