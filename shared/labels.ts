/** What a label's key may be. */
export const labelKeyPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;

/** The longest value of a label, and how many labels a record may have. */
export const labelLimits = { value: 255, count: 64 } as const;
