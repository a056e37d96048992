/** The JSON document of a config's parts: their texts by their files, as JSON. */
export function partsDocument(bytes: Buffer): Record<string, unknown> {
  const parts = JSON.parse(bytes.toString("utf8")) as Record<string, string>; // as it was stored
  const document: Record<string, unknown> = {};
  for (const [file, text] of Object.entries(parts)) {
    const [first = "", second] = file.split("/");
    const value: unknown = JSON.parse(text);
    if (second === undefined) document[first] = value;
    else document[first] = { ...(document[first] as object | undefined), [second]: value }; // a folder
  }
  return document;
}
