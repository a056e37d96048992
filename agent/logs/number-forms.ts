/**
 * The secret's bytes as numbers, one after the other: hexadecimal without and with what tools put between two of them
 * (openssl, hexdump, .NET, C), in pairs (xxd), and decimal (lists of Python, Go and JavaScript).
 */
export function numberForms(secret: Buffer): string[] {
  const hex = secret.toString("hex");
  const upper = hex.toUpperCase();
  const each = [hex, upper].flatMap((digits) => [
    digits,
    ...between.map((sign) => digits.replaceAll(/..(?=.)/g, `$&${sign}`)),
  ]);
  const inPairs = [hex, upper].flatMap((digits) => [
    pairs(digits),
    `${digits.slice(0, 2)} ${pairs(digits.slice(2))}`,
  ]);
  const decimal = [", ", ",", " "].map((sign) => [...secret].join(sign));
  return [...each, ...inPairs, ...decimal];
}

const pairs = (digits: string): string => digits.replaceAll(/.{4}(?=.)/g, "$& ");
const between = [" ", ":", "-", ", ", ",", ", 0x", ",0x", " 0x"];
