import type { ComponentProps, ReactNode } from 'react';

interface ServedPartProps extends Omit<ComponentProps<'div'>, 'dangerouslySetInnerHTML'> {
  /** Rendered by the server only: write it `import.meta.env.SSR && …`, so that no script has it. */
  readonly children: ReactNode;
}

const nothing = { __html: '' };

/** A part without interaction. React leaves what the server rendered unchanged, so the browser needs no script for it. */
export function ServedPart({ children, ...attributes }: ServedPartProps) {
  return import.meta.env.SSR ? (
    <div {...attributes}>{children}</div>
  ) : (
    <div {...attributes} dangerouslySetInnerHTML={nothing} suppressHydrationWarning />
  );
}
