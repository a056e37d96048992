/** Where a text is, and which line of it. */
type PlaceOfLine = { readonly file: string; readonly member: string; readonly line: number };

/** Texts of fewer letters are found in every log. */
const leastLetters = 6;

/** What of a rendering is masked: its texts, and what fails by them. */
export class Masks {
  /** The sensitive texts that it made. */
  readonly secrets = new Set<string>();
  /** Whether its twin is another text. */
  hasAny = false;
  hasFault = false;
  #first: PlaceOfLine | undefined;

  /** A text that is masked; `isPart`: that of something that is masked as a whole. */
  add(text: string, isPart = false): void {
    if (!isPart) this.hasAny = true;
    if (text.length >= leastLetters) this.secrets.add(text);
  }

  /** Where something sensitive was read first. */
  get first(): PlaceOfLine | undefined {
    return this.#first;
  }

  note(place: PlaceOfLine): void {
    this.#first ??= place;
  }

  /**
   * One for all that failed, with the place from which on it may have: which it was, and why, could tell what is sensitive. Where that
   * begins does not.
   */
  faultOr(place: PlaceOfLine) {
    const { file, member, line } = this.#first ?? place;
    const code = "render_failed" as const;
    return { code, file, member, line, path: null, provider: null, detail: hiddenReason };
  }
}

const hiddenReason =
  "this cannot be rendered; the reason is not shown, since sensitive values decide it: try it with harmless ones";
