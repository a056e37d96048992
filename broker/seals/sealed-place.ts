import type { Db } from "../database/connect.ts";
import type { Seals } from "./seals.ts";

export type PlaceParts = { readonly db: Db; readonly seals: Seals };
export type PlaceWalk = { readonly newest: string; readonly signal: AbortSignal };

/** A table with sealed values: which of its rows do not use the newest key, and how one is resealed. */
export type SealedPlace = {
  readonly table: string;
  readonly due: (db: Db, walk: PlaceWalk) => AsyncGenerator<string>;
  readonly reseal: (parts: PlaceParts, id: string) => Promise<void>;
};
