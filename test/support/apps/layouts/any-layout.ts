import fc from "fast-check";
import { actionPieces } from "./action-pieces.ts";
import { appPieces } from "./app-pieces.ts";
import { componentPieces } from "./component-pieces.ts";
import { deliveryPieces } from "./delivery-pieces.ts";
import type { Drawn, MakePiece, Piece, PlantedFault } from "./layout-piece.ts";
import { templatePieces } from "./template-pieces.ts";
import { textPieces } from "./text-pieces.ts";
import { type Layout, type Manner, type Placed, writeLayout } from "./write-layout.ts";

/** A legal layout, and the same with one fault. */
export type DrawnLayout = {
  readonly sound: Layout;
  readonly faulty: Layout;
  readonly fault: PlantedFault;
  readonly pieces: readonly Piece[];
};

const folder = fc.oneof(
  { weight: 1, arbitrary: fc.constant("") },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom("x", "team-a", "Our team", "v1.2", "größer"), {
        minLength: 1,
        maxLength: 3,
      })
      .map((names) => names.map((name) => `${name}/`).join("")),
  },
);

const drawnFor = fc.record({
  folder,
  suffix: fc.constantFrom("", "-1", "_b", "-x-2"),
  picks: fc.array(fc.nat(1000), { minLength: 10, maxLength: 10 }),
});

/** A piece by its maker; its names begin otherwise than those of any other. */
const pieceBy = (make: MakePiece): fc.Arbitrary<Placed> =>
  drawnFor.map(({ folder: at, suffix, picks }) => {
    let nth = 0;
    const pick: Drawn["pick"] = (...of) =>
      of[(picks[nth++ % picks.length] ?? 0) % of.length] ?? of[0];
    const name = (base: string): string => `${base}${suffix}`;
    return { piece: make({ name, pick, folder: at }), folder: at };
  });

const makers = {
  ...appPieces,
  ...textPieces,
  ...componentPieces,
  ...actionPieces,
  ...templatePieces,
  ...deliveryPieces,
};
const pieces = Object.values(makers).map(pieceBy);

const manner: fc.Arbitrary<Manner> = fc.record({
  oneFile: fc.subarray([
    "inputs.toml",
    "permissions.toml",
    "break_glass.toml",
    "policies.toml",
    "secrets.toml",
    "kubernetes_contexts.toml",
  ]),
  head: fc.constantFrom("", "# About this file\n", "\n\n"),
  indent: fc.constantFrom("", "  ", "\t"),
  hasBom: fc.boolean(),
  hasCrlf: fc.boolean(),
  isQuoted: fc.boolean(),
  isNoted: fc.boolean(),
});

/** The app itself, in which there is always room for a fault. */
const app: Placed = {
  piece: {
    rows: [],
    parts: [{ is: "top", file: "metadata.toml", body: 'description = "What it is."\n' }],
    faults: [
      {
        code: "wrong_type",
        edits: [[0, 'description = "What it is."', "«wrong_type»description = 5"]],
      },
    ],
  },
  folder: "",
};

/** Odd but legal layouts of a config's directory, each with a fault that can be planted in it. */
export const anyLayout: fc.Arbitrary<DrawnLayout> = fc
  .noBias(
    fc.record({
      placed: fc
        .shuffledSubarray(pieces, { minLength: 6, maxLength: 16 })
        .chain((some) => fc.tuple(...some)),
      manner,
      code: fc.nat(100_000),
      place: fc.nat(100_000),
    }),
  )
  .map(({ placed, manner: by, code, place }) => {
    const all = [app, ...placed];
    const planted = all.flatMap(({ piece }, at) => piece.faults.map((fault) => ({ at, fault })));
    const byCode = [...Map.groupBy(planted, ({ fault }) => fault.code).values()];
    const places = byCode[code % byCode.length] ?? [];
    const one = places[place % places.length];
    if (one === undefined) throw new Error("a layout has no room for a fault");
    return {
      sound: writeLayout(all, by),
      faulty: writeLayout(all, by, one),
      fault: one.fault,
      pieces: all.map(({ piece }) => piece),
    };
  });
