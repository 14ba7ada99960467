import type { ReactNode, Ref } from 'react';

interface ServedPartProps {
  readonly className?: string | undefined;
  readonly ref?: Ref<HTMLDivElement>;
  /** Undefined in the browser while what the server made of it stands in the document. */
  readonly children: ReactNode;
}

const nothing = { __html: '' };

/**
 * A part without anything that moves: on the page the server sent, the browser keeps it as it is,
 * and needs no script for it. React leaves the content of such an element alone.
 */
export function ServedPart({ className, ref, children }: ServedPartProps) {
  return children === undefined ? (
    <div className={className} ref={ref} dangerouslySetInnerHTML={nothing} suppressHydrationWarning />
  ) : (
    <div className={className} ref={ref}>
      {children}
    </div>
  );
}
