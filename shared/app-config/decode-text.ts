import type { FileFault } from "./file-fault.ts";
import { textLimits } from "./members/kinds.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The text of a file; a fault for one that is too large or no text. */
export function decodeText(bytes: Uint8Array): string | FileFault {
  if (bytes.length > textLimits.long)
    return {
      code: "config_too_costly",
      detail: `has more than ${textLimits.long} bytes: at most ${textLimits.long / 2 ** 20} MiB`,
    };
  const noText: FileFault = { code: "bad_value", detail: "is not a text in UTF-8" };
  try {
    const text = decoder.decode(bytes);
    return text.includes("\u0000") ? noText : text;
  } catch {
    return noText;
  }
}
