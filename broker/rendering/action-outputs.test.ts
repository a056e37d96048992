import { describe, expect, test } from "vitest";
import { givenRenderer } from "../../test/support/installs/given-renderer.ts";
import { baseOf, storedOf } from "../../test/support/installs/state-facts.ts";

describe("outputs of actions", () => {
  const large = "x".repeat(200_000);
  const outputs = { a: { v: "of a" }, b: { v: "of b" }, c: { v: large } };
  const withActions = { ...baseOf([], ["a", "b", "c"]) };

  const chained =
    '{{ if eq .svc.actions.a.outputs.v "of a" }}{{ .svc.actions.b.outputs.v }}{{ end }}';

  const textOf = async (
    template: string,
    { render }: ReturnType<typeof givenRenderer>,
    inputs = {},
  ) => {
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
      expect.stringMatching(/^\d+ \d+ \d+ \d+ \d+$/u),
      ["a", "b", "c"],
    ],
    ["all, by the whole", '{{ contains "of b" (toJson .svc) }}', "true", ["a", "b", "c"]],
  ])("are read where a template asks for them: %s", async (_, template, text, read) => {
    const found = await textOf(template, givenRenderer());
    expect(found).toEqual({ text: text as unknown, read });
  });

  test("that are long are looked into by a child alone", async () => {
    const children = givenRenderer();
    const found = await textOf("{{ len .svc.actions.c.outputs.v }}", children);
    expect(found).toEqual({ text: String(large.length), read: ["c"] });
    expect(children.asked).toEqual(["labels"]);
  });

  test("that a child asks for again and again are one rendering by a child", async () => {
    const children = givenRenderer();
    const found = await textOf(chained, children, { key: large });
    expect(found).toEqual({ text: "of b", read: ["a", "b"] });
    expect(children.asked).toEqual(["labels", "labels", "labels"]);
    expect(children.counted()).toEqual(['{name="labels",where="child"} 1']);
  });

  test("that hide a secret show no more of it than before", async () => {
    const { render } = givenRenderer();
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
    const { render, asked } = givenRenderer();
    const many = { a: { v: 1 }, b: { v: "x".repeat(17 * 2 ** 20) }, c: { v: large } };
    const { values, read } = storedOf({ outputs: many });
    const order = { orgId: "org_a", given: { facts: withActions }, values };
    const { text } = await render({ ...order, name: "shown-state" });
    const actions = (
      JSON.parse(Buffer.from(text).toString()) as { actions: Record<string, { outputs: unknown }> }
    ).actions;
    const left = "(left out: all outputs together are too large)";
    expect([actions["a"]?.outputs, actions["b"]?.outputs]).toEqual([{ v: 1 }, left]);
    expect(actions["c"]?.outputs).toEqual({ v: large });
    expect([read, asked]).toEqual([["a", "c"], ["shown-state"]]);
  });

  test("that are gone are none, and nobody waits for them", async () => {
    const { render } = givenRenderer();
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
    const { render, asked } = givenRenderer();
    const { values } = storedOf({ outputs: { a: { v: 1 } } });
    const of = { ...baseOf(["key", "long"], ["a"]) };
    const input = [{ name: "key" }, { name: "long", default: large }];
    const order = { given: { facts: { ...of, config: { ...of.config, inputs: { input } } } } };
    const { text } = await render({ orgId: "org_a", name: "state", ...order, values });
    expect([text.length > large.length, asked]).toEqual([true, ["state"]]);
  });

  test("of more than 1 MiB are left out of a state that is recorded, whose runs have other ids then", async () => {
    const { render } = givenRenderer();
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
    const { render, asked } = givenRenderer();
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
    const { render } = givenRenderer();
    const { values, read } = storedOf({ outputs: { a: { v: "x".repeat(17 * 2 ** 20) } } });
    const template = "{{ .svc.id }} {{ .svc.actions.a.outputs.v }}";
    const order = { template, facts: baseOf([], ["a"]) };
    const { readme, faults } = await render({
      orgId: "org_a",
      name: "readme",
      given: order,
      values,
    });
    expect(readme).toBe("ins_a ");
    expect(faults).toMatchObject([
      { code: "render_failed", detail: "the outputs that it reads are more than 16777216 bytes" },
    ]);
    expect(read).toEqual([]);
  });
});
