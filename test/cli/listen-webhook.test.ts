import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/broker/given-polling.ts";
import { freePorts } from "../support/network/free-ports.ts";
import { tcpProxy } from "../support/network/tcp-proxy.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { type RunningSvc, startSvc } from "../support/programs/svc.ts";
import { type Received, startReceiver } from "../support/queues/start-receiver.ts";
import { testFolder } from "../support/run/folder.ts";
import { givenEvents } from "../support/webhooks/given-events.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

async function fileOf(name: string, text: string): Promise<string> {
  const file = path.join(await testFolder(), name);
  await writeFile(file, text);
  return file;
}

/** A listener that misses nothing from here on. */
async function listen(line: string, url = cli.url): Promise<RunningSvc> {
  const env = { SVC_URL: url, SVC_TOKEN: cli.token };
  const listening = startSvc(["webhook", "listen", ...line.split(" ")], { env });
  await until(() => listening.said.err.includes("Ctrl-C ends it"));
  return listening;
}

const happen = async (workflowId: string, ...ops: string[]): Promise<void> =>
  await givenEvents(
    cli.db,
    ops.map((op) => ({ orgId: cli.runner.orgId, workflowId, op })),
  );

const toldOf = ({ body }: Received) => {
  const { data } = JSON.parse(body) as { data: { workflow: { id: string; type: string } } };
  return `${data.workflow.id} ${data.workflow.type}`;
};
const linesOf = ({ said }: RunningSvc): string[] => said.out.trimEnd().split("\n");

async function interrupt(listening: RunningSvc): Promise<void> {
  listening.kill("SIGINT");
  expect(await listening.ended).toMatchObject({ code: 0 });
  expect(listening.said.err).toContain("Nothing more is posted.");
}

describe("svc webhook listen", () => {
  test("posts each event signed as a webhook's are, shows the secret once, and ends by Ctrl-C", async () => {
    const receiver = await startReceiver({ "/hook": (nth) => ({ status: nth === 2 ? 500 : 202 }) });
    const listening = await listen(`--forward-to ${receiver.url}/hook`);
    const secrets = [...listening.said.err.matchAll(/The secret: (whsec_\S+)/g)];
    expect(secrets).toHaveLength(1);
    await happen("wfl_1", "provision", "deprovision");
    await until(() => linesOf(listening).length === 2);
    expect(linesOf(listening)[0]).toMatch(
      /^[\d:.]{12} {2}workflow provision succeeded {2}wfl_1 {2}→ 202 in \d+ ms$/,
    );
    expect(linesOf(listening)[1]).toMatch(/workflow deprovision succeeded .* → 500 in \d+ ms$/);
    expect(receiver.received.map(toldOf)).toEqual(["wfl_1 provision", "wfl_1 deprovision"]);
    const [secret = ""] = secrets.map(([, text = ""]) => text);
    for (const [n, { headers, body }] of receiver.received.entries()) {
      const { id } = JSON.parse(body) as { id: string };
      const hmac = createHmac("sha256", secret).update(body).digest("hex");
      expect(headers).toMatchObject({
        "content-type": "application/cloudevents+json; charset=utf-8",
        "x-svc-signature": hmac,
        "webhook-id": id,
        "x-svc-sequence": String(n + 1),
        "x-svc-attempt": "1",
      });
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const signed = `${id}.${String(headers["webhook-timestamp"])}.${body}`;
      const signature = createHmac("sha256", key).update(signed).digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
    }
    await interrupt(listening);
  });

  test("signs by a secret of a file, which it never shows, and takes a webhook's filters", async () => {
    const receiver = await startReceiver();
    const secret = await fileOf("secret", "hunter2-hunter2\n");
    const interests = '{"resources":{"installs":{"ops":["reprovision"]}}}';
    const wanted = await fileOf("interests", `${interests}\n`);
    const listening = await listen(
      `--forward-to ${receiver.url}/ --sign-by ${secret} --interests ${wanted} -o json --count 1`,
    );
    await happen("wfl_2", "provision", "reprovision");
    expect(await listening.ended).toMatchObject({ code: 0 });
    const [only] = receiver.received;
    expect(receiver.received.map(toldOf)).toEqual(["wfl_2 reprovision"]);
    const hmac = createHmac("sha256", "hunter2-hunter2").update(only?.body ?? "");
    expect(only?.headers["x-svc-signature"]).toBe(hmac.digest("hex"));
    expect(listening.said.out + listening.said.err).not.toContain("hunter2");
    const told = JSON.parse(listening.said.out) as object;
    expect(told).toMatchObject({ sequence: 2, status: 200, attempt: 1, body: only?.body });
  });

  test("tries a receiver that is down again until it comes, in the order of each workflow", async () => {
    const [port = 0] = await freePorts(1);
    const listening = await listen(`--forward-to http://127.0.0.1:${port}/`);
    await happen("wfl_3", "provision", "reprovision", "deprovision");
    await happen("wfl_4", "provision");
    await until(() => listening.said.err.includes("Trying again"));
    const receiver = await startReceiver({}, port);
    await until(() => linesOf(listening).length === 4);
    const of = (id: string) => receiver.received.map(toldOf).filter((told) => told.startsWith(id));
    expect(of("wfl_3")).toEqual(["wfl_3 provision", "wfl_3 reprovision", "wfl_3 deprovision"]);
    expect(of("wfl_4")).toEqual(["wfl_4 provision"]);
    expect(listening.said.out).toMatch(/wfl_3 {2}→ 200 in \d+ ms at try \d+\n/);
    expect(listening.said.err.match(/does not answer/g)).toHaveLength(1);
    await interrupt(listening);
  });

  test("goes on where it was after the broker was away", async () => {
    const proxy = await tcpProxy(cli.url);
    const receiver = await startReceiver();
    const url = proxy.url.replace(/\/$/, "");
    const listening = await listen(`--forward-to ${receiver.url}/`, url);
    await happen("wfl_5", "provision");
    await until(() => receiver.received.length === 1);
    proxy.setAway(true);
    await until(() => listening.said.err.includes("The broker is not reachable"));
    await happen("wfl_5", "reprovision");
    proxy.setAway(false);
    await until(() => receiver.received.length === 2);
    expect(receiver.received.map(toldOf)).toEqual(["wfl_5 provision", "wfl_5 reprovision"]);
    expect(listening.said.err).toContain("The broker is reachable again.");
    await interrupt(listening);
  });

  test("ends by Ctrl-C also while the receiver is down, and while it hangs", async () => {
    const held = Promise.withResolvers<{ status: number }>();
    const hanging = await startReceiver({ "/": () => held.promise });
    const [port = 0] = await freePorts(1);
    const listeners = await Promise.all([
      listen(`--forward-to http://127.0.0.1:${port}/`),
      listen(`--forward-to ${hanging.url}/`),
    ]);
    await happen("wfl_6", "provision");
    await until(() => listeners[0].said.err.includes("Trying again"));
    await until(() => hanging.received.length === 1);
    for (const listening of listeners) await interrupt(listening);
    held.resolve({ status: 200 });
  });

  test.each([
    ["--forward-to ftp://example.com", "must be an http or https URL"],
    ["--forward-to http://a:b@example.com", "no user name"],
    ["--count 0", "--count"],
    ["--count 1.5", "whole number"],
    ["--sign-by /nonexistent/secret", "cannot be read"],
    ["--interests /nonexistent/interests", "cannot be read"],
  ])("refuses %s", async (line, words) => {
    const refused = await cli.run(`webhook listen ${line}`);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain(words);
    expect(refused.err).not.toContain("a:b@");
  });

  test("tells what the broker refuses of a filter", async () => {
    const wrong = await fileOf("wrong", '{"resources":{"planets":{}}}');
    const refused = await cli.run(`webhook listen --interests ${wrong}`);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain("planets");
  });
});
