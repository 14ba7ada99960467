import type { ComponentProps } from 'react';
import { Link } from 'react-router-dom';

/** A link of a text written in Markdown: to a page of ours without loading a document. */
export function TextLink({ href = '', children }: ComponentProps<'a'>) {
  return href.startsWith('/') ? <Link to={href}>{children}</Link> : <a href={href}>{children}</a>;
}
