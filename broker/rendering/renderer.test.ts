import { describe, expect, test } from "vitest";
import { quickBudget, renderLimits } from "../../shared/app-config/templates/render-work.ts";
import { createMetrics } from "../metrics.ts";
import { Renders, NotRendered } from "../workflows/renders.ts";
import { renderInChild } from "./render-in-child.ts";
import { makeRenderer } from "./renderer.ts";

const nested = (inner: string): string => {
  const loop = '{{ range split "" $.svc.id }}';
  return `${loop}${loop}${loop}${inner}${"{{ end }}".repeat(3)}`;
};

/** A renderer whose children are this process: what it asks them is noted. */
function given() {
  const asked: string[] = [];
  const metrics = createMetrics();
  const run = ({ asked: named, bytes }: { asked: { name: string }; bytes: Uint8Array[] }) => {
    asked.push(named.name);
    return renderInChild({ asked: named as never, bytes: bytes.map((one) => Buffer.from(one)) });
  };
  const render = makeRenderer({ run: run as never }, metrics);
  const labels = (templates: Record<string, string>) =>
    render({
      orgId: "org_a",
      name: "labels",
      given: { templates, svc: { id: "i".repeat(30) }, hidden: ["hunter22"] },
    });
  const steps = (): number =>
    Number(/^svc_quick_rendering_steps_total\S* (\d+)$/m.exec(metrics.text())?.[1] ?? 0);
  return { asked, labels, render, steps };
}

describe("what is rendered", () => {
  test("is rendered here where it is little", async () => {
    const { asked, labels } = given();
    const templates = { a: "{{ .svc.id | trunc 2 }}", b: "x-hunter22", c: "" };
    expect(await labels(templates)).toEqual({ labels: { a: "ii", b: "x-(secret)" } });
    expect(asked).toEqual([]);
  });

  test("is rendered by a child where it is more, with no more steps here than the quick ones", async () => {
    const { asked, labels, steps } = given();
    const before = steps();
    expect(await labels({ a: nested(""), b: "{{ .svc.id | trunc 2 }}" })).toEqual({
      labels: { b: "ii" },
    });
    expect(asked).toEqual(["labels"]);
    expect(steps() - before).toBeLessThan(quickBudget.steps + 200);
  });

  test("together for a request: sixty templates of three loops are refused at the one where it is spent", async () => {
    const { asked, labels, steps } = given();
    const all = Array.from({ length: 60 }, (_, n) => [`k${n}`, nested("{{ . }}")] as const);
    const { spentAt, why } = (await labels(Object.fromEntries(all))) as unknown as Record<
      string,
      string
    >;
    expect([spentAt, why]).toEqual([
      expect.stringMatching(/^k1?\d$/),
      `it takes more than ${renderLimits.steps} steps`,
    ]);
    expect(asked).toEqual(["labels"]);
    expect(steps()).toBeLessThan(quickBudget.steps + 200);
  });

  test("the same here and there, whatever it is", async () => {
    const { render } = given();
    const template = `# {{ .svc.id }} {{ .svc.none }} hunter22\n${nested("")}{{ .svc.gone }}`;
    const svc = { id: "i".repeat(30), big: 12 };
    const readme = (text: string) =>
      render({
        orgId: "org_a",
        name: "readme",
        given: { template: text, svc, hidden: ["hunter22"] },
      });
    const small = await readme(template.replace(nested(""), ""));
    const large = await readme(template);
    expect(large).toEqual(small);
    expect(small.readme).toBe(`# ${"i".repeat(30)}  (secret)\n`);
    expect(small.warnings).toHaveLength(2);
  });
});

test("a move renders what it needs once, and again only where that has changed", async () => {
  const { render } = given();
  const orders: unknown[] = [];
  const renders = new Renders(async (order) => {
    orders.push(order.given);
    return await render(order);
  }, "org_a");
  const order = (id: string) => ({ templates: { a: "{{ .svc.id }}" }, svc: { id }, hidden: [] });
  async function read(id: string): Promise<unknown> {
    try {
      return renders.read("ins_a", "labels", order(id)).labels;
    } catch (error) {
      if (!(error instanceof NotRendered)) throw error;
      await renders.render(error.wanted);
      return renders.read("ins_a", "labels", order(id)).labels;
    }
  }
  expect([await read("one"), await read("one")]).toEqual([{ a: "one" }, { a: "one" }]);
  expect(await read("two")).toEqual({ a: "two" });
  expect(await read("two")).toEqual({ a: "two" });
  expect(orders).toEqual([order("one"), order("two")]);
});
