import { execa } from "execa";
import { expect, test } from "vitest";

/** Makes many objects, most of which outlive a collection, before and after the space may grow. */
const program = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { setImmediate as nextTurn } from "node:timers/promises";
  const { holdYoungSpace, boundYoungSpace } = await import(${JSON.stringify(new URL("bound-young-space.ts", import.meta.url))});
  const sizeMb = () => getHeapSpaceStatistics().find((one) => one.space_name === "new_space").space_size / 2 ** 20;
  const make = async (many) => {
    const kept = [];
    let most = 0;
    for (let n = 0; n < many; n += 1) {
      kept.push({ n, name: "x" + n });
      if (kept.length > 50_000) kept.length = 0;
      if (n % 5_000 === 0) { most = Math.max(most, sizeMb()); await nextTurn(); }
    }
    return most;
  };
  holdYoungSpace();
  const held = await make(500_000);
  boundYoungSpace(1); // between any two collections
  const bounded = await make(3_000_000);
  console.log(JSON.stringify({ held, bounded }));
`;

test("the space for young objects is held while a program starts, then grows as far as it is useful", async () => {
  const { stdout } = await execa(process.execPath, ["--input-type=module", "--eval", program]);
  const { held, bounded } = JSON.parse(stdout) as { held: number; bounded: number };
  expect(held).toBeLessThan(8);
  expect(bounded).toBeGreaterThan(8);
  expect(bounded).toBeLessThanOrEqual(64); // 128 without it
});
