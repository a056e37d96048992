import { expect, test } from "vitest";
import { getOwnTokenRoute } from "../../shared/api/tokens.ts";
import type { SignedInCaller } from "../http/app-env.ts";
import { makeAsk } from "./make-ask.ts";

test("what is longer than a page can show is refused, and says how it is read", async () => {
  const long = "x".repeat(16 * 2 ** 20);
  const app = { request: () => Response.json({ name: long }) };
  const ask = makeAsk(app, { userAgent: "a browser" } as SignedInCaller, "req_1");
  await expect(ask(getOwnTokenRoute, {})).rejects.toMatchObject({
    status: 413,
    code: "too_long_for_a_page",
    message: expect.stringContaining("svc or by the API") as string,
  });
});
