/** How bright red, green and blue are on the six steps of the cube, colours 16 to 231 of a terminal's 256. */
export const colorLevels = [0, 95, 135, 175, 215, 255] as const;

/** How bright a grey is, of the 24 from colour 232 on. */
export const greyLevel = (step: number): number => 8 + 10 * step;
