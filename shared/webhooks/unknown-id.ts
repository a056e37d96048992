/** An id of this kind that nothing has: what samples name. */
export const unknownId = (prefix: string): string => `${prefix}_${"0".repeat(26)}`;
