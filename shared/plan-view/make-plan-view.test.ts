import { describe, expect, test } from "vitest";
import { planViewOf } from "./plan-view-of.ts";
import { type PlanView, readPlanView, viewBounds } from "./plan-view.ts";

const ofTerraform = (shown: unknown): PlanView =>
  planViewOf({ type: "terraform-deploy", shown, summary: undefined, text: "", secrets: [] });

const resource = (address: string, actions: string[], change: object = {}) => ({
  address,
  type: "x",
  name: "n",
  change: { actions, ...change },
});

describe("the view of a large plan", () => {
  test("of 5,000 resources is cut to what is worst, and counts all", () => {
    const many = Array.from({ length: 5_000 }, (_, n) =>
      resource(`x.n${n}`, n === 4_999 ? ["delete"] : ["create"], {
        after: { n, s: "x".repeat(900) },
      }),
    );
    const view = ofTerraform({ resource_changes: many });
    expect(view.summary).toEqual({ added: 4_999, changed: 0, replaced: 0, removed: 1 });
    expect(view.changes).toHaveLength(1_000);
    expect(view.left_out).toBe(4_000);
    expect(view.changes.at(-1)).toMatchObject({ address: "x.n4999", action: "remove" });
    expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThan(viewBounds.totalBytes);
  });

  test("is bounded in fields, values, names and depth", () => {
    const deep = (n: number): unknown => (n === 0 ? "end" : { d: deep(n - 1) });
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n]));
    const view = ofTerraform({
      resource_changes: [
        resource("x.wide", ["create"], { after: fields }),
        resource("x.long", ["create"], {
          after: {
            text: "ä".repeat(100_000),
            list: Array.from({ length: 1e5 }, () => 7),
            deep: deep(300),
          },
        }),
        resource(`x.${"n".repeat(1e5)}`, ["create"]),
      ],
      output_changes: Object.fromEntries(
        Array.from({ length: 900 }, (_, n) => [`o${n}`, { actions: ["create"], after: n }]),
      ),
    });
    expect(view.changes[0]).toMatchObject({ is_cut: true });
    expect(view.changes[0]?.fields).toHaveLength(200);
    for (const field of view.changes[1]?.fields ?? []) {
      expect(field.is_cut).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(field))).toBeLessThan(5_000);
    }
    expect(view.changes[2]?.address.length).toBeLessThan(1_100);
    expect(view.left_out).toBe(700);
    expect(readPlanView(JSON.parse(JSON.stringify(view)))).toEqual(view);
  });
});
