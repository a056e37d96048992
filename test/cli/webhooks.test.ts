import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { allSamples } from "../../shared/webhooks/sample-events.ts";
import { until } from "../support/broker/given-polling.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { startReceiver } from "../support/queues/start-receiver.ts";
import { testFolder } from "../support/run/folder.ts";
import { expectDescribed } from "../support/webhooks/expect-sound-events.ts";
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

describe("svc webhook", () => {
  test("creates, lists, shows, changes and deletes webhooks", async () => {
    const secret = await fileOf("secret", "hunter2-hunter2\n");
    const interests = await fileOf("interests", '{"resources":{"runners":{"ops":["inactive"]}}}');
    const match = await fileOf("match", '{"installs":{"ids":["ins_1"]}}');
    const made = await cli.run(
      `webhook create --to https://example.com/a --sign-by ${secret} --interests ${interests} --match ${match} -o name`,
    );
    expect(made.err).toContain("svc webhook ping");
    const id = made.out.trim();
    const shown = await cli.run(`webhook get ${id}`);
    expect(shown.out).toMatch(/url +https:\/\/example\.com\/a\n/);
    expect(shown.out).toMatch(/signed +yes\n/);
    expect(shown.out + shown.err).not.toContain("hunter2");
    const listed = await cli.run("webhook list");
    expect(listed.out).toMatch(/^ID +URL +WANTS +OF +SIGNED +STATE +AGE\n/);
    expect(listed.out).toMatch(
      new RegExp(`${id} +https://example.com/a +runners +installs +yes +active`),
    );
    expect((await cli.run(`webhook update ${id}`)).err).toContain("Nothing to change");
    const next = await fileOf("next", "hunter3-hunter3\n");
    const changed = await cli.run(
      `webhook update ${id} --all-events --whole-org --sign-by ${next}`,
    );
    expect(changed.out).toMatch(/match +the whole org\n/);
    expect(changed.out).toContain("the previous secret is valid until");
    const twice = await cli.run(`webhook update ${id} --all-events --interests ${interests}`);
    expect(twice.code).toBe(2);
    expect(await cli.run(`webhook delete ${id}`)).toMatchObject({ code: 2 });
    expect(await cli.run(`webhook delete ${id} --yes`)).toMatchObject({ code: 0 });
    expect((await cli.run(`webhook get ${id}`)).code).toBe(3);
  });

  test("pings, lists deliveries and sends them again", async () => {
    const receiver = await startReceiver({ "/": (nth) => ({ status: nth === 2 ? 401 : 200 }) });
    const made = await cli.run(`webhook create --to ${receiver.url}/ -o name`);
    const id = made.out.trim();
    const ping = await cli.run(`webhook ping ${id}`);
    expect(ping).toMatchObject({ code: 0 });
    expect(ping.out).toMatch(/result +delivered\n/);
    expect((await cli.run(`webhook deliveries ${id}`)).err).toContain("No deliveries found");
    await givenEvents(cli.db, [{ orgId: cli.runner.orgId, workflowId: "wfl_1" }]);
    const deliveries = (status: string) => cli.run(`webhook deliveries ${id} --status ${status}`);
    await until(async () => (await deliveries("failed")).out.includes("whd_"));
    expect((await deliveries("failed")).out).toMatch(
      /whd_\w+ +wfl_1 +1 +succeeded +failed +1 +401/,
    );
    const [refused = ""] = /whd_\w+/.exec((await deliveries("failed")).out) ?? [];
    const shown = (await cli.run(`webhook delivery ${id} ${refused}`)).out;
    expect(shown).toMatch(/^workflow +wfl_1, its event 1\nstatus +failed$/m);
    expect(shown).toMatch(
      /^tries +1 {2}\d{4}-\S+Z {2}It was answered with status 401\. \(\d+ ms\)$/m,
    );
    expect(shown).toMatch(/^body +\{"id":"evt_/m);
    expect((await cli.run(`webhook resend ${id} --since 1h`)).out).toBe("1 will be sent again.\n");
    await until(async () => (await deliveries("delivered")).out.includes("whd_"));
    const [delivery = ""] = /whd_\w+/.exec((await deliveries("delivered")).out) ?? [];
    expect((await cli.run(`webhook resend ${id} --delivery ${delivery}`)).code).toBe(0);
    const both = await cli.run(`webhook resend ${id} --delivery ${delivery} --delivered`);
    expect(both.code).toBe(2);
    await until(() => receiver.received.length === 4);
    const nobody = await cli.run("webhook create --to http://127.0.0.1:1/ -o name");
    expect(await cli.run(`webhook ping ${nobody.out.trim()}`)).toMatchObject({ code: 1 });
  });

  test("triggers samples of every kind, at a webhook and from here", async () => {
    const receiver = await startReceiver({ "/no": () => ({ status: 500 }) });
    const made = await cli.run(`webhook create --to ${receiver.url}/hook -o name`);
    const id = made.out.trim();
    const asked = "--event actions.run --transition requested";
    const sent = await cli.run(`webhook trigger ${id} ${asked}`);
    expect(sent).toMatchObject({ code: 0, err: "" });
    expect(sent.out).toMatch(/^actions\.run requested \(workflow_step\) {2}→ 200 in \d+ ms\n$/);
    const secret = await fileOf("secret", "hunter2-hunter2\n");
    const here = `webhook trigger --forward-to ${receiver.url}/here --sign-by ${secret}`;
    expect(await cli.run(`${here} ${asked}`)).toMatchObject({ code: 0, err: "" });
    const [ofBroker, ofOurs] = receiver.received;
    for (const { body } of receiver.received) expectDescribed(body);
    const hmac = createHmac("sha256", "hunter2-hunter2")
      .update(ofOurs?.body ?? "")
      .digest("hex");
    expect(ofOurs?.headers["x-svc-signature"]).toBe(hmac);
    expect(Object.keys(ofBroker?.headers ?? {})).toContain("x-svc-webhook-id");
    const all = await cli.run(`webhook trigger --forward-to ${receiver.url}/all --all`);
    expect(all.err).toMatch(/^The secret: whsec_\S+\n$/);
    const kinds = receiver.received.filter(({ path: at }) => at === "/all");
    expect(all.out.trimEnd().split("\n")).toHaveLength(kinds.length);
    expect(kinds).toHaveLength(allSamples.length);
    const failed = await cli.run(`webhook trigger --forward-to ${receiver.url}/no -o json`);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toMatchObject({
      event: "installs.provision",
      is_delivered: false,
      status: 500,
    });
  });

  test.each([
    ["", "Give either a webhook or --forward-to"],
    ["whk_1 --forward-to http://127.0.0.1:1/", "Give either a webhook or --forward-to"],
    ["whk_1 --sign-by secret", "--sign-by goes with --forward-to"],
    ["--forward-to http://127.0.0.1:1/ --event planets.land", "--event"],
    [
      "--forward-to http://127.0.0.1:1/ --event runners.inactive --transition started",
      "--transition must be one of failed",
    ],
    [
      "--forward-to http://127.0.0.1:1/ --event runners.inactive --kind workflow_step",
      "There is no such event",
    ],
  ])("triggers nothing for %j", async (line, words) => {
    const refused = await cli.run(`webhook trigger ${line}`.trim());
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain(words);
  });
});
