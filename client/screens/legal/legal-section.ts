/** A numbered section of a legal page. */
export interface LegalSection {
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** List after the paragraphs. */
  readonly items?: readonly string[];
  /** Ends with the address to write to. */
  readonly hasContact?: boolean;
}
