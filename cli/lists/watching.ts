import type { Page, View } from "../output/print.ts";
import type { Screen } from "../output/screen.ts";

/** A list that is watched: how it is read and shown. */
export type Watching<Item> = {
  readonly screen: Screen;
  readonly read: () => Promise<Page<Item>>;
  readonly view: View<Item>;
  readonly empty: string;
  readonly factsOf: (item: Item) => unknown;
  readonly intervalMs: number;
};
