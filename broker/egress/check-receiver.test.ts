import { expect, test } from "vitest";
import type { EgressMode } from "../../shared/network/egress-mode.ts";
import { makeLimiter } from "../database/limiter.ts";
import { checkReceiver } from "./check-receiver.ts";
import type { OpenedReceiver } from "./opened-receivers.ts";

const url = "https://hooks.example:8443/in?token=hunter2";

function check(
  addresses: readonly string[] | "silent" | "broken",
  { mode = "strict", opened = [] }: { mode?: EgressMode; opened?: readonly OpenedReceiver[] } = {},
) {
  const asked: string[] = [];
  const resolve = async (hostname: string): Promise<readonly string[]> => {
    asked.push(hostname);
    if (addresses === "broken") throw new Error("SERVFAIL");
    return addresses === "silent" ? await new Promise(() => {}) : await Promise.resolve(addresses);
  };
  const rules = { mode, opened };
  const checked = checkReceiver(url, { rules, resolve, limiter: makeLimiter(1) });
  return checked.then((answer) => ({ ...answer, asked }));
}

test("a receiver whose name leads inside is refused as it is filed, without its address", async () => {
  const refused = await check(["93.184.216.34", "10.1.2.3"]);
  expect(refused).toMatchObject({
    isOk: false,
    code: "blocked_address",
    detail:
      "hooks.example has an address to which calls are not allowed: private network. Whoever operates this broker can open it with SVC_EGRESS_ALLOW=hooks.example:8443.",
  });
  expect(await check(["fd00:ec2::254"])).toMatchObject({
    detail: expect.stringContaining("SVC_EGRESS_ALLOW does not open it.") as unknown,
  });
});

test("a receiver is taken whose name is public, opened, unknown or silent: each call checks again", async () => {
  expect((await check(["93.184.216.34"])).isOk).toBe(true);
  const opened = [{ name: "hooks.example", port: 8443 }];
  expect((await check(["10.1.2.3"], { opened })).isOk).toBe(true);
  for (const answer of [[], "broken", "silent"] as const) {
    expect(await check(answer)).toMatchObject({ isOk: true, asked: ["hooks.example"] });
  }
});

test("a name is not looked for where the mode lets inner addresses pass", async () => {
  for (const mode of ["internal", "off"] as const) {
    expect(await check(["10.1.2.3"], { mode })).toMatchObject({ isOk: true, asked: [] });
  }
});
