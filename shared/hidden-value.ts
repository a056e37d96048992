/** What stands where something is hidden. */
export const hiddenValue = "(secret)";
