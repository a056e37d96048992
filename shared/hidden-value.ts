/** What stands where something is hidden. */
export const hiddenValue = "(secret)";

/** What agents write where a secret was, in logs, results and outputs. */
export const redactedText = "***";
