/** A blob as it is stored. */
export type SealedParts = {
  readonly id: string;
  readonly org_id: string;
  readonly digest: string;
  readonly size_bytes: number;
  readonly parts: number;
  readonly key_id: string | null;
  readonly sealed_key: Buffer;
};
