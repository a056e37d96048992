import { cp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { startTestAgent } from "../agent/start-test-agent.ts";
import { callAs } from "../broker/call-as.ts";
import { svc } from "../programs/svc.ts";
import { startReceiver } from "../queues/start-receiver.ts";
import { testFolder } from "../run/folder.ts";
import { workflowFollower } from "./follow-workflows.ts";
import { givenBuilderFleet } from "./given-builder-fleet.ts";

type Given = {
  /** A directory of examples/apps. */
  readonly example: string;
  /** Of both agents. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Of the customer's agent. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of the agent that builds. */
  readonly builderEnv?: Readonly<Record<string, string>>;
};

/** What an event says, as far as its order tells something. */
type Told = {
  readonly svctransition: string;
  readonly data: {
    readonly workflow: { readonly id: string };
    readonly step?: { readonly name: string };
  };
};

const slots = { operations: 2, actions: 2, deploy: 2, sandbox: 2, sync: 2 };

/**
 * A vendor with a copy of an example, a broker, the registry of `svc dev` and an agent that builds; the agent of a customer, and a
 * receiver of all events. What people do is done by the command line.
 */
export async function givenVendor({ example, settings = {}, env = {}, builderEnv }: Given) {
  const { fleet, builder } = await givenBuilderFleet(settings, builderEnv);
  const customer = await fleet.addRunner({ orgId: builder.orgId, parallelism: slots });
  const groups = Object.entries(slots).map((slot) => slot.join("="));
  const agent = { url: fleet.broker.url, token: customer.token, env };
  await startTestAgent(agent, { groups: groups.join(","), ...settings });
  const token = builder.operatorToken;
  const call = callAs(fleet.broker, token);
  const { received, url } = await startReceiver();
  await call("POST /v1/orgs/current/webhooks", { url });
  const { approved } = workflowFollower(call);

  const folder = path.join(await testFolder(), example);
  await cp(path.join("examples/apps", example), folder, { recursive: true });
  /** One command line of the vendor: what it printed; fails where it failed. */
  const run = async (line: string): Promise<string> => {
    const given = { SVC_URL: fleet.broker.url, SVC_TOKEN: token };
    const { code, out, err } = await svc(line.split(" "), { env: given });
    if (code !== 0) throw new Error(`svc ${line}: ${code}: ${out}${err}`);
    return out;
  };
  /** What the receiver was told of a workflow so far, in order. */
  const toldOf = (id: string): string[] =>
    received
      .map(({ body }) => JSON.parse(body) as Told) // the broker wrote it
      .filter(({ data }) => data.workflow.id === id)
      .map(({ svctransition: what, data }) => `${data.step?.name ?? "all"} ${what}`);
  return {
    fleet,
    customer,
    call,
    run,
    approved,
    /** Makes the directory the app's config; answers the config's id. */
    sync: async () => (await run(`app sync ${folder} --strict -o name`)).trim(),
    /** Changes a file of the directory. */
    edit: async (name: string, change: (text: string) => string): Promise<void> => {
      const file = path.join(folder, name);
      await writeFile(file, change(await readFile(file, "utf8")));
    },
    /** Takes a file away. */
    remove: async (name: string): Promise<void> => await rm(path.join(folder, name)),
    /** An install of the app with these inputs, at the customer's runner: its id, and what became of its provision. */
    install: async (name: string, inputs: Readonly<Record<string, string>> = {}) => {
      const pairs = Object.entries(inputs).map(([of, value]) => `--input ${of}=${value} `);
      const line = `install create ${name} --app ${example} ${pairs.join("")}--runner ${customer.runnerId}`;
      const made = JSON.parse(await run(`${line} -o json`)) as { id: string; workflow_id: string };
      return { id: made.id, provisioned: await approved(made.workflow_id) };
    },
    /** The workflow that a command line begins, when all that it asks for has been approved. */
    done: async (line: string): Promise<WholeWorkflow> => {
      const out = await run(line);
      const id = /\bwfl_\w+/.exec(out)?.[0];
      if (id === undefined) throw new Error(`svc ${line} began no workflow: ${out}`);
      return await approved(id);
    },
    toldOf,
    /** That the receiver was told all of a workflow that has succeeded, in order. */
    expectTold: async ({ id, steps }: WholeWorkflow): Promise<void> => {
      const ofSteps = steps.flatMap(({ name, status: { status } }) => {
        const asked = status === "approved" ? ["requested", "approved"] : [];
        return ["started", ...asked, "succeeded"].map((what) => `${name} ${what}`);
      });
      await expect.poll(() => toldOf(id)).toEqual(["all started", ...ofSteps, "all succeeded"]);
    },
  };
}
