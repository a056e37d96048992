import type { z } from "zod";

/** A row of the table of settings. */
export type Setting = {
  /** What the value is, as help shows it. */
  readonly value: string;
  readonly schema: z.ZodType<unknown, string>;
  /** What stands when nothing is given, as it would be given. */
  readonly byDefault?: string;
  readonly doc: string;
  /** It is given by the environment only: what is in a flag, everybody on the host can read. */
  readonly isSecret?: true;
};
