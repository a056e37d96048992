type Node = Readonly<Record<string, unknown>>;

/**
 * Marks what answers may leave out for other clients than our own programs (answer/to-theirs-of.ts): it is not required in the document, of
 * which they are made.
 */
export function withLeftOutMembers<Document extends object>(document: Document): Document {
  const { paths, components } = document as unknown as {
    readonly paths: Readonly<Record<string, Node>>;
    readonly components: { readonly schemas: Readonly<Record<string, Node>> };
  };
  const { schemas } = components;
  const seen = new Set<unknown>();
  for (const methods of Object.values(paths))
    for (const operation of Object.values(methods)) mark((operation as Node)["responses"]);
  return document;

  function mark(node: unknown): void {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    const { $ref, properties, required } = node as Node;
    if (typeof $ref === "string") mark(named($ref));
    if (isNode(properties) && Array.isArray(required)) {
      const left = required.filter((name) => !isLeftOut(String(name), properties[String(name)]));
      Object.assign(node, { required: left });
      if (left.length === 0) delete (node as { required?: unknown }).required;
    }
    for (const [key, value] of Object.entries(node)) if (key !== "example") mark(value);
  }

  function isLeftOut(name: string, schema: unknown): boolean {
    const forms = formsOf(schema);
    const words = forms.flatMap((one) =>
      Array.isArray(one["enum"]) ? (one["enum"] as unknown[]) : [],
    );
    const types = forms.flatMap((one) => [one["type"]].flat());
    const isNull = types.includes("null") || words.includes(null);
    if (words.length > 0) return name !== "group" && (isNull || words.includes(""));
    const isNothing = types.every((type) => type === "null");
    return isNull && (isNothing || types.includes("object") || types.includes("array"));
  }

  function formsOf(schema: unknown): readonly Node[] {
    if (!isNode(schema)) return [];
    const { $ref, anyOf, oneOf } = schema;
    if (typeof $ref === "string") return formsOf(named($ref));
    const forms = [anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? (one as unknown[]) : []));
    return forms.length > 0 ? forms.flatMap(formsOf) : [schema];
  }

  function named(ref: string): Node | undefined {
    return schemas[ref.split("/").at(-1) ?? ""];
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);
