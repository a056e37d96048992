import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { mintToken } from "../../shared/token.ts";
import { startSvc, startSvcInTerminal } from "../support/programs/svc.ts";

/** A broker that has taken the request and does not answer it until it is told to. */
async function setup() {
  const answers: (() => void)[] = [];
  const server = createServer((_request, response) => {
    answers.push(() => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"items":[],"next_cursor":null}');
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await expect.poll(() => server.listening).toBe(true);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const answer = async () => {
    await expect.poll(() => answers.length).toBeGreaterThan(0);
    for (const each of answers.splice(0)) each();
  };
  return { url, env: { SVC_URL: url, SVC_TOKEN: mintToken("sa") }, answer };
}

describe("what takes over a second", () => {
  test.each([
    ["runner list", "List runners"],
    ["log show job_00000000000000000000000000", "read the log"],
    ["audit export", "export audit events"],
    ["api GET /v1/runners", ""],
  ])("is told on a terminal by svc %s, and gone with the answer", async (line, what) => {
    const { url, env, answer } = await setup();
    const asking = startSvcInTerminal(line.split(" "), { env });
    const words = `Waiting for ${url}${what === "" ? "" : `: ${what}`} … `;
    await expect.poll(() => asking.said.out).toContain(words);
    await answer();
    const { out } = await asking.ended;
    for (const after of out.split(words).slice(1))
      expect(after.replace(/^\d+s/, "").startsWith("\r\u001B[K")).toBe(true);
    expect(out.split("\r\u001B[K").at(-1)).not.toContain("Waiting");
  });

  test("is told to no pipe, and to no terminal that cannot take it back", async () => {
    const { env, answer } = await setup();
    const dumb = { ...env, TERM: "dumb" };
    const asking = [
      startSvc(["runner", "list"], { env }),
      startSvcInTerminal(["runner", "list"], { env: dumb }),
    ];
    let looks = 0;
    await expect.poll(() => (looks += 1), { interval: 100 }).toBeGreaterThan(25);
    await answer();
    for (const { ended } of asking) {
      const { out, err } = await ended;
      expect(out + err).not.toContain("Waiting");
      expect(out + err).not.toContain("\u001B");
    }
  });
});
