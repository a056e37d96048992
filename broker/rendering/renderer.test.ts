import { describe, expect, test } from "vitest";
import { quickBudget, renderLimits } from "../../shared/app-config/templates/render-work.ts";
import { baseOf, storedOf } from "../../test/support/installs/state-facts.ts";
import { createMetrics } from "../metrics.ts";
import { Renders, NotRendered } from "../workflows/renders.ts";
import { type RenderAsked, renderInChild } from "./render-in-child.ts";
import { makeRenderer } from "./renderer.ts";

const nested = (inner: string): string => {
  const loop = '{{ range split "" $.svc.id }}';
  return `${loop}${loop}${loop}${inner}${"{{ end }}".repeat(3)}`;
};

const base = baseOf(["key"]);
const facts = { ...base, install: { ...base.install, id: "i".repeat(30) } };

/** A renderer whose children are this process: what it asks them is noted. */
function given() {
  const asked: string[] = [];
  const metrics = createMetrics();
  const run = ({ asked: named, bytes }: { asked: RenderAsked; bytes: Uint8Array[] }) => {
    asked.push(named.name);
    return renderInChild({ asked: named, bytes: bytes.map((one) => Buffer.from(one)) });
  };
  const render = makeRenderer({ run: run as never }, metrics);
  const labels = (templates: Record<string, string>) =>
    render({
      orgId: "org_a",
      name: "labels",
      given: { templates, facts },
      values: storedOf({ inputs: { key: "hunter22" } }).values,
    });
  const steps = (): number =>
    Number(/^svc_quick_rendering_steps_total\S* (\d+)$/m.exec(metrics.text())?.[1] ?? 0);
  const counted = () => metrics.text().match(/(?<=^svc_renderings_total).*$/gmu);
  return { asked, counted, labels, render, steps };
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
      if (!(error instanceof NotRendered)) throw error;
      await renders.render(error.wanted);
      return renders.read("ins_a", "labels", order(id)).labels;
    }
  }
  expect([await read("one"), await read("one")]).toEqual([{ a: "one" }, { a: "one" }]);
  expect(await read("two")).toEqual({ a: "two" });
  expect(await read("two")).toEqual({ a: "two" });
  expect(orders).toEqual([orderOf("one"), orderOf("two")]);
});

describe("outputs of actions", () => {
  const large = "x".repeat(200_000);
  const outputs = { a: { v: "of a" }, b: { v: "of b" }, c: { v: large } };
  const withActions = { ...baseOf([], ["a", "b", "c"]) };

  const chained =
    '{{ if eq .svc.actions.a.outputs.v "of a" }}{{ .svc.actions.b.outputs.v }}{{ end }}';

  const textOf = async (template: string, { render }: ReturnType<typeof given>, inputs = {}) => {
    const { values, read } = storedOf({ inputs, outputs });
    const order = { templates: { k: template }, facts: withActions };
    const { labels } = await render({ orgId: "org_a", name: "labels", given: order, values });
    return { text: labels?.["k"], read };
  };

  test.each([
    ["none", "{{ .svc.id }} {{ .svc.actions.a.status }}", "ins_a finished", []],
    ["one by its path", "{{ .svc.actions.a.outputs.v }}", "of a", ["a"]],
    ["by the other path", "{{ .svc.actions.workflows.b.outputs.v }}", "of b", ["b"]],
    ["by a key that is made", '{{ index .svc.actions (lower "B") "outputs" "v" }}', "of b", ["b"]],
    ["one that what is in another names", chained, "of b", ["a", "b"]],
    [
      "all of them",
      "{{ range .svc.actions }}{{ len (toJson .) }} {{ end }}",
      expect.stringMatching(/^\d+ \d+ \d+ \d+$/u),
      ["a", "b", "c"],
    ],
    ["all, by the whole", '{{ contains "of b" (toJson .svc) }}', "true", ["a", "b", "c"]],
  ])("are read where a template asks for them: %s", async (_, template, text, read) => {
    const found = await textOf(template, given());
    expect(found).toEqual({ text: text as unknown, read });
  });

  test("that are long are looked into by a child alone", async () => {
    const children = given();
    const found = await textOf("{{ len .svc.actions.c.outputs.v }}", children);
    expect(found).toEqual({ text: String(large.length), read: ["c"] });
    expect(children.asked).toEqual(["labels"]);
  });

  test("that a child asks for again and again are one rendering by a child", async () => {
    const children = given();
    const found = await textOf(chained, children, { key: large });
    expect(found).toEqual({ text: "of b", read: ["a", "b"] });
    expect(children.asked).toEqual(["labels", "labels", "labels"]);
    expect(children.counted()).toEqual(['{name="labels",where="child"} 1']);
  });

  test("that hide a secret show no more of it than before", async () => {
    const { render } = given();
    const { values } = storedOf({
      inputs: { key: "hunter22" },
      outputs: { a: { v: "<hunter22>" } },
    });
    const order = {
      templates: { k: "{{ .svc.actions.a.outputs.v }}" },
      facts: baseOf(["key"], ["a"]),
    };
    const { labels } = await render({ orgId: "org_a", name: "labels", given: order, values });
    expect(labels).toEqual({ k: "(secret)" });
  });

  test("are all in a state, but for those beyond its bound", async () => {
    const { render, asked } = given();
    const many = { a: { v: 1 }, b: { v: "x".repeat(17 * 2 ** 20) }, c: { v: large } };
    const { values, read } = storedOf({ outputs: many });
    const order = { orgId: "org_a", given: { facts: withActions }, values };
    const { text } = await render({ ...order, name: "shown-state" });
    const actions = (
      JSON.parse(Buffer.from(text).toString()) as { actions: Record<string, { outputs: unknown }> }
    ).actions;
    const left = "(left out: the outputs of all actions together are too large)";
    expect([actions["a"]?.outputs, actions["b"]?.outputs]).toEqual([{ v: 1 }, left]);
    expect(actions["c"]?.outputs).toEqual({ v: large });
    expect([read, asked]).toEqual([["a", "c"], ["shown-state"]]);
  });

  test("that are gone are none, and nobody waits for them", async () => {
    const { render } = given();
    const { values } = storedOf({ outputs });
    const order = {
      orgId: "org_a",
      name: "labels",
      given: { templates: { k: "{{ len .svc.actions.a.outputs }}" }, facts: withActions },
      values: { ...values, outputs: () => Promise.resolve([]) },
    } as const;
    expect((await render(order)).labels).toEqual({ k: "0" });
  });

  test("are written into a long state by a child alone", async () => {
    const { render, asked } = given();
    const { values } = storedOf({ outputs: { a: { v: 1 } } });
    const of = { ...baseOf(["key", "long"], ["a"]) };
    const input = [{ name: "key" }, { name: "long", default: large }];
    const order = { given: { facts: { ...of, config: { ...of.config, inputs: { input } } } } };
    const { text } = await render({ orgId: "org_a", name: "state", ...order, values });
    expect([text.length > large.length, asked]).toEqual([true, ["state"]]);
  });

  test("of more than 1 MiB are left out of a state that is recorded, whose runs have other ids then", async () => {
    const { render } = given();
    const long = { a: { v: 1 }, b: { v: "x".repeat(2 ** 20) } };
    const recorded = async (outputs: typeof long) => {
      const { values, read } = storedOf({ outputs });
      const order = { orgId: "org_a", given: { facts: baseOf([], ["a", "b"]) }, values };
      const { text } = await render({ ...order, name: "state" });
      return { text, read };
    };
    const { text, read } = await recorded(long);
    expect(read).toEqual(["a"]);
    expect(JSON.parse(text)).toMatchObject({
      actions: {
        a: { outputs: { v: 1 } },
        b: { id: "iar_b", outputs: expect.stringContaining("left out") as unknown },
      },
    });
  });

  test("of a state that is very long the checksum alone is recorded", async () => {
    const { render, asked } = given();
    const name = "x".repeat(60_000);
    const stateOf = async (last: string) => {
      const names = Array.from({ length: 80 }, (_, at) => [`s${at}`, `${name}${last}`] as const);
      const { values } = storedOf({ variables: Object.fromEntries(names) });
      const order = { orgId: "org_a", given: { facts: baseOf([]) }, values };
      return await render({ ...order, name: "state" });
    };
    const [one, other] = [await stateOf("1"), await stateOf("2")];
    expect(JSON.parse(one.text)).toEqual({
      id: "ins_a",
      is_too_long: true,
      checksum: one.checksum,
    });
    expect(other.checksum).not.toBe(one.checksum);
    expect(asked).toEqual(["state", "state"]);
  });

  test("beyond the bound fail what reads them, in words", async () => {
    const { render } = given();
    const { values, read } = storedOf({ outputs: { a: { v: "x".repeat(17 * 2 ** 20) } } });
    const template = "{{ .svc.id }} {{ .svc.actions.a.outputs.v }}";
    const order = { template, facts: baseOf([], ["a"]) };
    const { readme, warnings } = await render({
      orgId: "org_a",
      name: "readme",
      given: order,
      values,
    });
    expect(readme).toBe("ins_a ");
    expect(warnings).toMatchObject([
      { code: "render_failed", detail: "the outputs that it reads are more than 16777216 bytes" },
    ]);
    expect(read).toEqual([]);
  });
});
