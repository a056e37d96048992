import { expect, test } from "vitest";
import { spanBars } from "./span-bars.ts";

test("a stretch of time is named by its own status, in the color of a job's", async () => {
  const span = { status: "approval-awaiting", tone: "queued", fromMs: 0, toMs: 500 };
  const rows = [{ name: "approve", spans: [span] }];
  const text = String(await spanBars({ label: "Time", fromMs: 0, toMs: 1000, rows }));
  expect(text).toContain('<span class="key queued">approval-awaiting</span>');
  expect(text).toContain("<title>approval-awaiting, 500 ms</title>");
  expect(text).not.toContain(">queued");
});
