import { expect, test } from "vitest";
import { toSettled } from "./call-back.ts";

const asks = (retryInMs?: number) =>
  ({ event: "fail", description: "it was answered with status 503", retryInMs }) as const;

test("a callback whose receiver asks to be called again soon has its tries over hours all the same", () => {
  expect(toSettled(asks(), 3)).toMatchObject({ status: "again", afterMs: 40_000 });
  expect(toSettled(asks(1000), 3)).toMatchObject({ status: "again", afterMs: 40_000 });
  expect(toSettled(asks(600_000), 3)).toMatchObject({ status: "again", afterMs: 600_000 });
  expect(toSettled(asks(1000), 12)).toMatchObject({ status: "failed" });
});
