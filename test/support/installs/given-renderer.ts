import { createMetrics } from "../../../broker/metrics.ts";
import { type RenderAsked, renderInChild } from "../../../broker/rendering/render-in-child.ts";
import { makeRenderer, type Renderer } from "../../../broker/rendering/renderer.ts";

/** A renderer whose children are this process: what it asks them is noted. */
export function givenRenderer(): {
  readonly asked: string[];
  readonly render: Renderer;
  readonly steps: () => number;
  /** How often something was rendered, by its name and where. */
  readonly counted: () => string[] | null;
} {
  const asked: string[] = [];
  const metrics = createMetrics();
  const run = ({ asked: named, bytes }: { asked: RenderAsked; bytes: Uint8Array[] }) => {
    asked.push(named.name);
    return renderInChild({ asked: named, bytes: bytes.map((one) => Buffer.from(one)) });
  };
  const render = makeRenderer({ run: run as never }, metrics);
  const steps = (): number =>
    Number(/^svc_quick_rendering_steps_total\S* (\d+)$/m.exec(metrics.text())?.[1] ?? 0);
  const counted = () => metrics.text().match(/(?<=^svc_renderings_total).*$/gmu);
  return { asked, render, steps, counted };
}
