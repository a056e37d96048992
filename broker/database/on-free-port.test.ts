import { describe, expect, test } from "vitest";
import { onFreePort, PortTaken } from "./on-free-port.ts";

/** A start that is refused on every port but these, and the ports it was given. */
function setup({ free = [], error = (port) => new PortTaken(port) }: Given = {}) {
  const tried: number[] = [];
  const findPort = async () => await Promise.resolve(tried.length + 1);
  const start = async (port: number) => {
    tried.push(port);
    if (!free.includes(port)) throw error(port);
    return await Promise.resolve(`started on ${port}`);
  };
  return { tried, started: () => onFreePort(start, findPort) };
}

type Given = { readonly free?: readonly number[]; readonly error?: (port: number) => Error };

describe("a server on a free port", () => {
  test("gets another one when somebody was faster", async () => {
    const { started, tried } = setup({ free: [3, 4] });
    expect(await started()).toBe("started on 3");
    expect(tried).toEqual([1, 2, 3]);
  });

  test("gives up when every one is taken, and says which was the last", async () => {
    const { started, tried } = setup();
    await expect(started()).rejects.toThrow("Port 5 on 127.0.0.1 is taken.");
    expect(tried).toHaveLength(5);
  });

  test("is not tried again when something else is wrong", async () => {
    const { started, tried } = setup({ error: () => new Error("no disk") });
    await expect(started()).rejects.toThrow("no disk");
    expect(tried).toEqual([1]);
  });
});
