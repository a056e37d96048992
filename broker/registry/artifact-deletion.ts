/** What is to be deleted of a repository; without a digest it is what the tag stands for. */
export type ArtifactToDelete = { readonly tag: string; readonly digest: string | null };

/** What came of it. */
export type ArtifactDeletion =
  | { readonly kind: "deleted" | "gone" | "kept" | "open" | "lost" }
  | { readonly kind: "left"; readonly why: string }
  /** `isOld`: it said so before, and was not asked. */
  | { readonly kind: "unsupported"; readonly why: string; readonly isOld: boolean }
  | {
      /** It was not deleted yet. */
      readonly kind: "later";
      readonly why: string;
      /** The registry does not answer as it should. */
      readonly isDown: boolean;
      readonly isRefused: boolean;
      /** It may be that something before the registry has answered. */
      readonly isUnclear: boolean;
    };

/** What the database says of digests. */
export type Judge = {
  /** Says that it is about to be deleted, and asks whether it may be. */
  readonly mayDelete: (digest: string) => Promise<"go" | "kept" | "open" | "lost">;
  /** Of these those that builds have. */
  readonly ofBuilds: (digests: readonly string[]) => Promise<readonly string[]>;
  /** The digests of builds that stay and may be indexes, at most so many. */
  readonly indexes: (most: number) => Promise<readonly string[]>;
};
