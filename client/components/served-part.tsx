import type { ComponentProps, ReactNode } from 'react';

interface ServedPartProps extends Omit<ComponentProps<'div'>, 'dangerouslySetInnerHTML'> {
  /** Undefined in the browser while what the server made of it stands in the document. */
  readonly children: ReactNode;
}

const nothing = { __html: '' };

/**
 * A part without interaction: on the page the server sent, the browser leaves it unchanged and needs
 * no script for it. React doesn't touch the content of such an element.
 */
export function ServedPart({ children, ...attributes }: ServedPartProps) {
  return children === undefined ? (
    <div {...attributes} dangerouslySetInnerHTML={nothing} suppressHydrationWarning />
  ) : (
    <div {...attributes}>{children}</div>
  );
}
