type Size = { readonly files: number; readonly bytes: number };

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

/** How much a source is, in words for its log. */
export function sizeText({ files, bytes }: Size): string {
  return `${counted(files, "file")}, ${counted(bytes, "byte")}`;
}
