import type { ComponentProps } from 'react';
import type { followUpActions } from '../../../shared/contact/outcomes.ts';
import styles from './follow-up.module.css';
import { useRememberedReader } from './reader-memory.ts';

interface ActionFormProps extends Pick<ComponentProps<'form'>, 'children' | 'onSubmit'> {
  /** The URL that receives the page's forms. */
  readonly path: string;
  readonly action: (typeof followUpActions)[number];
}

/** A form on the follow-up page. It works without scripts, and submitting it twice has no further effect. */
export function ActionForm({ path, action, children, onSubmit }: ActionFormProps) {
  const remembered = useRememberedReader();

  return (
    <form className={styles.form} method="post" action={path} onSubmit={onSubmit}>
      <input type="hidden" name="action" value={action} />
      {remembered !== null && <input type="hidden" name="reader" value={remembered} />}
      {children}
    </form>
  );
}
