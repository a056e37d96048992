import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";

const graceMs = 10_000;

let broker: TestBroker;

beforeAll(async () => {
  const { url } = await testDatabase();
  broker = await startBroker({ url });
});

it(
  "a stop does not wait for connections that were opened in advance and asked nothing",
  async () => {
    const socket = connect(Number(new URL(broker.url).port), "127.0.0.1");
    await once(socket, "connect");
    await broker.call("GET /livez"); // the server has accepted what was connected before

    const closed = once(socket, "close");
    await broker.stop();
    await closed;
    expect(socket.destroyed).toBe(true);
  },
  graceMs - 1,
);
