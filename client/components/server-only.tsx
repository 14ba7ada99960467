import type { ComponentProps, ReactNode } from 'react';

interface ServerOnlyProps extends Omit<ComponentProps<'div'>, 'dangerouslySetInnerHTML'> {
  /** Must be written as `import.meta.env.SSR && …` to stay out of browser scripts. */
  readonly children: ReactNode;
}

const nothing = { __html: '' };

/**
 * Non-interactive content that only the server renders. Hydration leaves its HTML unchanged, so the browser needs no
 * script for it.
 */
export function ServerOnly({ children, ...attributes }: ServerOnlyProps) {
  return import.meta.env.SSR ? (
    <div {...attributes}>{children}</div>
  ) : (
    <div {...attributes} dangerouslySetInnerHTML={nothing} suppressHydrationWarning />
  );
}
