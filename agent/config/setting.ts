import type { z } from "zod";

/** A row of the table of settings. */
export type Setting = {
  /** A placeholder for the value in help texts. */
  readonly value: string;
  readonly schema: z.ZodType<unknown, string>;
  /** The default, as text. */
  readonly byDefault?: string;
  readonly doc: string;
  /** It is read only from the environment, because every user of the host can read flags. */
  readonly isSecret?: true;
};
