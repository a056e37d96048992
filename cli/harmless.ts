/** A text whose control characters, but line ends, are spaces: it cannot steer the terminal of who reads it. */
export const harmless = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, " ");
