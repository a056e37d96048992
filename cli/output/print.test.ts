import { expect, test } from "vitest";
import { printItem } from "./print.ts";
import type { Screen } from "./screen.ts";
import { tableOf } from "./table.ts";

const columns = { ID: () => "job_1", "asked by": () => "acc_1" };

test("heads of lists are in capitals, and names of one thing's members in small letters", () => {
  expect(tableOf([{}], columns).head).toBe("ID     ASKED BY");
  const shown: string[] = [];
  const asIs = { out: (text: string) => shown.push(text) };
  const screen = { format: "table", hasColor: false, asIs } as unknown as Screen;
  printItem(screen, { text: "", body: {} }, { nameOf: () => "job_1", columns });
  expect(shown).toEqual(["id        job_1\nasked by  acc_1"]);
});

test("columns of a list are aligned by the places that their cells take", () => {
  const named = { NAME: ({ name }: { name: string }) => name, AGE: () => "1d" };
  const { rows } = tableOf([{ name: "名前" }, { name: "abcd" }], named);
  expect(rows).toEqual(["名前  1d", "abcd  1d"]);
});
