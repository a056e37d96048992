import type { Renderer } from "./renderer.ts";

/** Renders as another does, but for what is the same as the last time: that is not rendered again. */
export function renderOnce(render: Renderer): Renderer {
  let last: { readonly order: string; readonly rendered: Promise<unknown> } | undefined;
  return async (order, gone) => {
    const { values, ...rest } = order;
    const text = JSON.stringify([rest, values.digest]);
    if (last?.order !== text) last = { order: text, rendered: render(order, gone) };
    return (await last.rendered) as never; // of the same order
  };
}
