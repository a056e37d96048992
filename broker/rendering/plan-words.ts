/** What people read of plans that cannot be. */
export type PlanWords = {
  /** Whose config it is, after "The". */
  readonly config: string;
  readonly tooLarge: string;
  readonly tooMuch: string;
};
