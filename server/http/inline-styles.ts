import { createHash } from 'node:crypto';

const STYLE_ELEMENT = /<style>(.*?)<\/style>/s;

/**
 * What allows exactly the content of the document's one `<style>` (Content Security Policy
 * Level 3, hash-source); undefined when it has none.
 */
export function hashInlineStyles(html: string): string | undefined {
  const styles = STYLE_ELEMENT.exec(html)?.[1];

  return styles && `'sha256-${createHash('sha256').update(styles).digest('base64')}'`;
}
