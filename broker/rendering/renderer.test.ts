import { describe, expect, test } from "vitest";
import { quickBudget, renderLimits } from "../../shared/app-config/templates/render-work.ts";
import { givenRenderer } from "../../test/support/installs/given-renderer.ts";
import { baseOf, storedOf } from "../../test/support/installs/state-facts.ts";
import { NotKnown } from "../workflows/not-known.ts";
import { Renders } from "../workflows/renders.ts";

const nested = (inner: string): string => {
  const loop = '{{ range split "" $.svc.id }}';
  return `${loop}${loop}${loop}${inner}${"{{ end }}".repeat(3)}`;
};

const base = baseOf(["key"]);
const facts = { ...base, install: { ...base.install, id: "i".repeat(30) } };

function given() {
  const { render, ...rest } = givenRenderer();
  const labels = (templates: Record<string, string>) =>
    render({
      orgId: "org_a",
      name: "labels",
      given: { templates, facts },
      values: storedOf({ inputs: { key: "hunter22" } }).values,
    });
  return { ...rest, render, labels };
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
    const readme = (text: string) =>
      render({
        orgId: "org_a",
        name: "readme",
        given: { template: text, facts },
        values: storedOf({ inputs: { key: "hunter22" } }).values,
      });
    const small = await readme(template.replace(nested(""), ""));
    const large = await readme(template);
    expect(large).toEqual(small);
    expect(small.readme).toBe(`# ${"i".repeat(30)}  (secret)\n`);
    expect(small.faults).toHaveLength(2);
  });
});

test("a move renders what it needs once, and again only where that has changed", async () => {
  const { render } = given();
  const orders: unknown[] = [];
  const renders = new Renders(async (order) => {
    orders.push(order.given);
    return await render(order);
  }, "org_a");
  const { values } = storedOf({});
  const orderOf = (id: string) => ({
    templates: { a: "{{ .svc.id }}" },
    facts: { ...base, install: { ...base.install, id } },
  });
  const order = (id: string) => ({ given: orderOf(id), values });
  async function read(id: string): Promise<unknown> {
    try {
      return renders.read("ins_a", "labels", order(id)).labels;
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      await error.find();
      return renders.read("ins_a", "labels", order(id)).labels;
    }
  }
  expect([await read("one"), await read("one")]).toEqual([{ a: "one" }, { a: "one" }]);
  expect([await read("two"), await read("two")]).toEqual([{ a: "two" }, { a: "two" }]);
  expect(orders).toEqual([orderOf("one"), orderOf("two")]);
});
