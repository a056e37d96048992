import { rename, writeFile } from "node:fs/promises";

type Content = { readonly text: string | Uint8Array; readonly mode?: number };

/** Replaces the file whole: whoever has it open reads on what it was. 0600 unless told; one writer at a time. */
export async function writeAtomically(
  file: string,
  { text, mode = 0o600 }: Content,
): Promise<void> {
  await writeFile(`${file}.new`, text, { mode });
  await rename(`${file}.new`, file);
}
