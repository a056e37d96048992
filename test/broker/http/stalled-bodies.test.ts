import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { backendPath, stateText } from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

const at = await givenOperator();

/** What comes back, until the connection ends, for a request whose body stops after some bytes. */
function stall(path: string, sent: string): Promise<string> {
  const { port, hostname } = new URL(at.broker.url);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${at.token}\r\n`;
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `${head}content-type: application/json\r\ncontent-length: 100000\r\n\r\n${sent}`,
      ),
    );
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (text += chunk));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

test("an upload that stops is answered 408 before the connection ends, and changes nothing", async () => {
  const held = await holdWorkspace(at);
  const text = stateText({ serial: 1 });
  expect((await held.write(text)).status).toBe(200);
  const json = `/v1/terraform-workspaces/${held.id}/state-json`;
  const begun = stateText({ serial: 2, padding: "x".repeat(90_000) }).slice(0, 80_000);
  const answers = await Promise.all([
    stall(backendPath(held.id, held.lockId), begun),
    stall(backendPath(held.id, held.lockId), ""),
    stall(json, '{"ser'),
    stall("/v1/runner-groups", "{"), // a body that is read whole
  ]);
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain('"code":"body_timeout"');
  }
  expect((await held.read()).text).toBe(text);
});

test("a state that is refused in its middle is answered on a connection that goes on", async () => {
  const held = await holdWorkspace(at);
  const isOver = `${"x".repeat(4)}${stateText({ serial: 2, padding: "x".repeat(2_000_000) })}`;
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (body: string) =>
    requestOver(connection, { path: backendPath(held.id, held.lockId), body });
  const first = await send(isOver);
  expect(first).toMatchObject({ status: 400, isReused: false });
  expect(first.body).toContain('"code":"malformed_json"');
  const second = await send(stateText({ serial: 1 }));
  expect(second).toMatchObject({ status: 200, isReused: true });
  connection.destroy();
});

type Answer = { readonly status: number; readonly body: string; readonly isReused: boolean };

function requestOver(
  agent: Agent,
  { path, body }: { readonly path: string; readonly body: string },
): Promise<Answer> {
  const headers = { authorization: `Bearer ${at.token}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(at.broker.url + path, { agent, method: "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, body: text, isReused: sent.reusedSocket }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
