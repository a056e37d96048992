import type { ConfigGraph } from "./config-graph.ts";

/** The graph in the language of Graphviz: an arrow to what is needed, dashed where it is only referred to. */
export function graphvizOf({ order, edges }: ConfigGraph): string {
  const lines = [
    ...order.map((name) => nameOf({ type: "component", name })),
    ...edges.map(({ from, to, declared }) => {
      const arrow = `${nameOf(from)} -> ${nameOf({ type: "component", name: to })}`;
      return declared ? arrow : `${arrow} [style=dashed]`;
    }),
  ];
  return ["digraph config {", ...lines.map((line) => `  ${line};`), "}", ""].join("\n");
}

const nameOf = ({ type, name }: { readonly type: string; readonly name: string }): string =>
  `"${type} ${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
