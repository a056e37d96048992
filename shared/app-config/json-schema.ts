/** As much of JSON Schema as a config's has. */
export type JsonSchema = {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  /** A text that may be in a file of its own. */
  readonly "x-file"?: boolean;
  /** A place that may be a file here: the member beside it that has its text then. */
  readonly "x-file-at"?: string;
};
