import { colorLevels, greyLevel } from "./logs/color-levels.ts";

/** The rules of the 256 colours of terminals, as classes: `f1` writes in color 1, `b1` on it. The paper of a log is dark in every theme. */
export function ansiStyle(): string {
  const colors = Array.from({ length: 256 }, (_, index) => colorOf(index));
  const papers = colors.map((color, index) => {
    const ink = luminance(color) > 0.18 ? "#15181c" : "#fff"; // where no color of its own is given
    return `.b${index}{background:${hex(color)};color:${ink}}`;
  });
  const inks = colors.map((color, index) => `.f${index}{color:${hex(legible(color))}}`);
  return [...papers, ...inks].join("\n");
}

type Color = readonly [red: number, green: number, blue: number];

/** The first sixteen are a matter of taste. */
const basic = [
  "1d2126 e06c60 6fbf73 d8b13c 6ca0f0 c58af0 56b6c2 c8ccd2",
  "7f8791 ff8a80 8fdb93 f2cf5b 8ab4ff dca8ff 7ddbe6 ffffff",
]
  .join(" ")
  .split(" ");

function colorOf(index: number): Color {
  const given = basic[index];
  if (given !== undefined) {
    const value = Number.parseInt(given, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  if (index >= 232) {
    const grey = greyLevel(index - 232);
    return [grey, grey, grey];
  }
  const level = (digit: number): number => colorLevels[Math.floor((index - 16) / digit) % 6] ?? 0;
  return [level(36), level(6), level(1)];
}

const leastLuminance = 0.24; // 5 : 1 on the paper of logs

/** Dark writing is lightened until it can be read. */
function legible(color: Color): Color {
  let shown = color;
  while (luminance(shown) < leastLuminance) {
    const [red, green, blue] = shown;
    shown = [lighter(red), lighter(green), lighter(blue)];
  }
  return shown;
}

const lighter = (value: number): number => Math.min(255, value + Math.ceil((256 - value) / 16));

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => (value / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hex = (color: Color): string =>
  `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
