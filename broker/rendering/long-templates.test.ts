import { expect, test } from "vitest";
import { quickBudget } from "../../shared/app-config/templates/render-work.ts";
import { baseOf, storedOf } from "../../test/support/installs/state-facts.ts";
import { createMetrics } from "../metrics.ts";
import { type RenderAsked, renderInChild } from "./render-in-child.ts";
import { makeRenderer } from "./renderer.ts";

/** A renderer whose children are this process: what it asks them is noted. */
function given() {
  const asked: string[] = [];
  const run = ({ asked: named, bytes }: { asked: RenderAsked; bytes: Uint8Array[] }) => {
    asked.push(named.name);
    return renderInChild({ asked: named, bytes: bytes.map((one) => Buffer.from(one)) });
  };
  return { asked, render: makeRenderer({ run: run as never }, createMetrics()) };
}

test("a text that alone is longer than what is rendered here is rendered by a child", async () => {
  const { asked, render } = given();
  const facts = baseOf(["key"]);
  const { values } = storedOf({});
  const order = { orgId: "org_a", values };
  const long = "x".repeat(quickBudget.outputBytes + 1);
  const templates = { a: long, b: "b" };
  expect(await render({ ...order, name: "labels", given: { templates, facts } })).toEqual({
    labels: { b: "b" },
  });
  const template = `${long}{{ .svc.id }}`;
  const { readme } = await render({ ...order, name: "readme", given: { template, facts } });
  expect(readme === `${long}${facts.install.id}`).toBe(true);
  expect(asked).toEqual(["labels", "readme"]);
});
