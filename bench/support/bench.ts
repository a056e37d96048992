import type { Figure } from "./figures.ts";

export type BenchOptions = {
  /** How long each steady part is measured. */
  readonly seconds: number;
  readonly warmUpS: number;
  /** 1 is the size that the targets speak of; less is for trying the bench out. */
  readonly scale: number;
  /** A folder for profiles: the broker's CPU profile, statements and functions of Postgres. */
  readonly profileDir: string | undefined;
};

export type Tell = (figure: Omit<Figure, "bench">) => void;

export type Bench = {
  readonly what: string;
  readonly run: (options: BenchOptions, tell: Tell) => Promise<void>;
};
